// The payload of a figure: embedded as #chart-KEY, else fetched from data-src.

export async function payloadOf(figure) {
  const embedded = document.getElementById(`chart-${figure.dataset.chart}`);
  if (embedded) return JSON.parse(embedded.textContent);
  const answer = await fetch(figure.dataset.src, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
}
