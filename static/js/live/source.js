// Polls the state of an experiment each second. Server or network can fail for a while.

const POLL_MS = 1000;
const PATIENCE_MS = 4000; // a shorter interruption goes unmentioned
const LOST = "Connection lost, trying again. The experiment goes on without this page.";

export function listen(url, handlers) {
  const source = new Source(url, handlers);
  source.poll();
  return source;
}

class Source {
  constructor(url, handlers) {
    Object.assign(this, { url, handlers, stopped: false });
  }

  async poll() {
    try {
      await this.ask();
    } catch {
      this.losing ??= setTimeout(() => this.handlers.onLink(LOST), PATIENCE_MS);
    }
    if (!this.stopped) this.polling = setTimeout(() => this.poll(), POLL_MS);
  }

  async ask() {
    const known = new URLSearchParams(this.handlers.have());
    const answer = await fetch(`${this.url}?${known}`, { headers: { Accept: "application/json" }, cache: "no-store" });
    if (this.stopped) return;
    if (answer.redirected || answer.status === 403) return this.strange();
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const state = await answer.json();
    if (this.stopped) return;
    clearTimeout(this.losing);
    this.losing = null;
    this.handlers.onLink("");
    this.handlers.onState(state);
  }

  strange() {
    this.stop();
    this.handlers.onStranger();
  }

  stop() {
    this.stopped = true;
    for (const timer of [this.polling, this.losing]) clearTimeout(timer);
  }
}
