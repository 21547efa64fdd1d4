// The seconds of the running cell. The server sends each second once: a state holds the `series` from number `since`.
// A state without `since` holds all seconds.

export class Seconds {
  series = "";
  rows = [];

  /** The state with all of its seconds. */
  whole(state) {
    const known = state.series && state.series === this.series ? this.rows.slice(0, state.since) : [];
    this.series = state.series ?? "";
    this.rows = [...known, ...(state.seconds ?? [])];
    return { ...state, seconds: this.rows };
  }

  /** What a poll says of them. */
  have() {
    return { series: this.series, have: String(this.rows.length) };
  }
}
