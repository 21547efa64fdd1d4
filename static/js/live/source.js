// States of an experiment from server-sent events; by polling while those do not get through (a proxy that buffers,
// a web server that restarts), and back to events later.

const POLL_MS = 2000;
const PATIENCE_MS = 4000; // a reconnect within this goes unmentioned
const UNHEARD_MS = 8000; // the first state comes with the connection: a proxy that keeps it back keeps all
const FAILURES_BEFORE_POLLING = 3;
const POLLS_BEFORE_EVENTS = 15;
const LOST = "Connection lost, trying again. The experiment goes on without this page.";

export function listen(eventsUrl, pollUrl, handlers) {
  const source = new Source(eventsUrl, pollUrl, handlers);
  source.start();
  return source;
}

class Source {
  constructor(eventsUrl, pollUrl, handlers) {
    Object.assign(this, { eventsUrl, pollUrl, handlers, failures: 0, polls: 0, stopped: false });
  }

  /** Some browsers, and what people put between, know no server-sent events. */
  start() {
    if ("EventSource" in window) this.startEvents();
    else this.poll();
  }

  startEvents() {
    this.events = new EventSource(this.eventsUrl);
    this.unheard = setTimeout(() => this.pollInstead(), UNHEARD_MS);
    this.events.addEventListener("open", () => this.connected());
    this.events.addEventListener("state", (event) => this.heard(JSON.parse(event.data)));
    this.events.addEventListener("error", () => this.eventsFailed());
  }

  heard(state) {
    if (this.stopped) return;
    this.failures = 0;
    clearTimeout(this.unheard);
    this.connected();
    this.handlers.onState(state);
  }

  eventsFailed() {
    if (this.stopped) return;
    this.failures += 1;
    this.lost();
    const gaveUp = this.events.readyState === EventSource.CLOSED; // an error page: the browser will not retry
    if (gaveUp || this.failures >= FAILURES_BEFORE_POLLING) this.pollInstead();
  }

  pollInstead() {
    if (this.stopped) return;
    clearTimeout(this.unheard);
    this.events.close();
    this.polls = 0;
    this.poll();
  }

  async poll() {
    if (this.stopped) return;
    try {
      await this.ask();
    } catch {
      this.lost();
    }
    if (this.stopped) return;
    if (this.events && this.polls >= POLLS_BEFORE_EVENTS) return this.startEvents();
    this.polling = setTimeout(() => this.poll(), POLL_MS);
  }

  async ask() {
    const known = new URLSearchParams(this.handlers.have());
    const answer = await fetch(`${this.pollUrl}?${known}`, { headers: { Accept: "application/json" }, cache: "no-store" });
    if (answer.redirected || answer.status === 403) return this.strange();
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    this.polls += 1;
    this.heard(await answer.json());
  }

  strange() {
    this.stop();
    this.handlers.onStranger();
  }

  connected() {
    clearTimeout(this.losing);
    this.losing = null;
    this.handlers.onLink("");
  }

  lost() {
    this.losing ??= setTimeout(() => this.handlers.onLink(LOST), PATIENCE_MS);
  }

  stop() {
    this.stopped = true;
    this.events?.close();
    for (const timer of [this.unheard, this.polling, this.losing]) clearTimeout(timer);
  }
}
