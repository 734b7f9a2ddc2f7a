// Where the live page has its exchanges from: the proxy's events, and the details of one at a time.

/** An address below the page's, with the key that the page's own address has. */
function liveAddress(path) {
  return `/live${path}${location.search}`;
}

/** What tells an exchange in flight from others, and is still the same when it has ended. */
function lineageOf({ start, connection, method, url }) {
  return JSON.stringify([start, connection, method, url]);
}

/** Exchanges whose details stay here. */
const mostDetails = 20;

/** Milliseconds of the window that slides. */
const windowLength = 60_000;

/** Exchanges that have ended and stay in the view, and how many more there may be before the oldest go. */
const mostExchanges = 100_000;
const surplus = 10_000;

/** The least milliseconds between two changes of the view. */
const shortestPause = 30;

/** The same while somebody scrolls through the list, and how long after a step of it somebody still does. */
const scrollingPause = 250;
const scrollingRest = 200;

function byStart(left, right) {
  return left.start - right.start || left.number - right.number;
}

/** Takes exchanges into a list in the order of their start. Most belong to its end. */
function mergeByStart(list, added) {
  if (!added.length) return;
  added.sort(byStart);
  let place = list.length;
  while (place > 0 && byStart(list[place - 1], added[0]) > 0) place -= 1;
  const later = list.splice(place);
  place = 0;
  for (const exchange of added) {
    while (place < later.length && byStart(later[place], exchange) < 0) list.push(later[place++]);
    list.push(exchange);
  }
  while (place < later.length) list.push(later[place++]);
}

Object.assign(feed, {
  isLive: true,
  /** Tells the recording from others; `null` until the proxy has answered. */
  epoch: null,
  /** Shows the proxy that it is this page that asks. */
  token: null,
  isPaused: false,
  hasEnded: false,
  /** Whether the end of the list was seen, and is followed. */
  wasAtEnd: true,
  /** Whether only the last minute is in view, and the span that was set for it last. */
  isSliding: false,
  slidTo: null,
  /** Exchanges in flight. They are among those of `capture`, which are in the order of their start. */
  inFlight: [],
  /** How many of the oldest are not in the view any more. */
  leftOut: 0,
  /** Exchanges that never came, because the log's file was gone. */
  lost: 0,
  /** Rows that are not shown yet. */
  news: [],
  newFlight: null,
  /** When the view was changed last, and how many milliseconds that took. */
  shownAt: 0,
  cost: 0,
  /** When the list was last scrolled to another place than its end. */
  scrolledAt: -Infinity,
  /** Milliseconds that the filters took that are offered. */
  shortcutsCost: 0,
  knownRules: [],
  rulesAskedAt: -Infinity,
  /** Numbers of the exchanges in `blocks`, the latest last. */
  kept: [],
  fetching: new Set(),

  begin(table, details) {
    Object.assign(this, { table, details, address: location.hash });
    this.controls = new LiveControls();
    state.on('span', () => {
      // Somebody has chosen another one.
      if (!this.isSliding || this.slidTo === state.span) return;
      this.isSliding = false;
      this.controls.show();
    });
    const { viewport } = table;
    viewport.addEventListener('scroll', () => this.noteScroll(), { passive: true });
    // Another height of the window, or of a row, is no reason to stop following.
    new ResizeObserver(() => {
      if (this.wasAtEnd) this.showNewest();
    }).observe(viewport);
    this.listen();
  },

  listen() {
    const source = new EventSource(liveAddress('/events'));
    const on = (name, take) => source.addEventListener(name, ({ data }) => take.call(this, JSON.parse(data)));
    on('hello', this.greet);
    on('header', this.takeHeader);
    on('rows', (rows) => {
      for (const row of rows) this.news.push(row);
      this.schedule();
    });
    on('flight', (rows) => {
      this.newFlight = rows;
      this.schedule();
    });
    on('queue', (queue) => this.controls.sayQueue(queue));
    on('behind', ({ count }) => this.controls.sayBehind(count));
    on('lost', ({ count }) => {
      this.lost += count;
      this.controls.sayLost(this.lost);
    });
    on('end', ({ missing }) => {
      this.hasEnded = true;
      this.newFlight = [];
      this.schedule();
      this.controls.sayBehind(0);
      const rest = missing ? ` So are ${countText(missing, 'exchange', 'exchanges')} that the page did not get.` : '';
      this.controls.say(`The recording has ended. The page stays as it is; its details are in the log.${rest}`);
    });
    source.addEventListener('error', () => {
      if (!this.hasEnded) {
        this.controls.sayBehind(0);
        this.controls.say('The proxy does not answer. Trying again…');
      }
      if (source.readyState !== EventSource.CLOSED) return;
      // It answered, but with no events: too many readers, another program, or another recording, whose page has another key.
      this.askWhy();
      setTimeout(() => this.listen(), 3000);
    });
  },

  async askWhy() {
    try {
      const answer = await fetch(liveAddress('/events'), { method: 'HEAD' });
      if (answer.status === 403) this.controls.say('This is another recording now: tapeline status prints the address of its page.');
    } catch {
      // It does not answer, as the page says.
    }
  },

  greet({ epoch, token, continues, header }) {
    const isOther = this.epoch !== null && this.epoch !== epoch;
    Object.assign(this, { epoch, token, hasEnded: false });
    if (!continues) this.forget();
    this.takeHeader(header);
    this.controls.say(isOther ? 'Live. The proxy was started again: this is its new recording.' : 'Live', true);
  },

  takeHeader(header) {
    capture.header = header;
    this.schedule();
  },

  forget() {
    capture.exchanges = [];
    capture.measure();
    Object.assign(this, { leftOut: 0, lost: 0, inFlight: [], news: [], newFlight: null, kept: [] });
    this.controls.sayLost(0);
    this.blocks.clear();
    capture.entries.clear();
    if (state.selected !== null) state.select(null, false);
  },

  // MARK: The view

  setPaused(isPaused) {
    this.isPaused = isPaused;
    this.controls.show();
    this.schedule();
  },

  clear() {
    this.leftOut = 0;
    capture.exchanges = [...this.inFlight];
    capture.measure();
    this.schedule(true);
  },

  /** Begins or ends to show the last minute alone. Another span, chosen by hand, ends it, too. */
  slide() {
    this.isSliding = !this.isSliding;
    if (this.isSliding) this.slideOn();
    else state.resetSpan();
    this.controls.show();
    this.schedule(true);
  },

  /** A minute up to the end of the latest exchange: while nothing happens, it stays. */
  slideOn() {
    const { from, to } = state.wholeSpan;
    state.span = { from: Math.max(from, capture.duration - windowLength), to };
    state.isSpanOnly = true;
    this.slidTo = state.span;
  },

  /** Changes the view soon, more rarely if that takes long. */
  schedule(isAsked = false) {
    if (this.isPaused && !isAsked) {
      this.controls.show();
      return;
    }
    const shortest = performance.now() < this.scrolledAt + scrollingRest ? scrollingPause : shortestPause;
    const next = this.shownAt + Math.min(Math.max(shortest, this.cost * 4), 3000);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.show();
    }, Math.max(0, next - performance.now()));
  },

  show() {
    const began = performance.now();
    const isWhole = !state.isZoomed;
    const isAtEnd = this.isAtEnd();
    const selected = state.selectedExchange;
    const added = this.isPaused ? [] : this.takeNews();
    if (this.isSliding) this.slideOn();
    else if (isWhole) state.span = state.wholeSpan;
    this.keepSelection(selected, added);
    state.list();
    state.changed('span');
    this.openAddress();
    toolbar.showOrigin();
    this.showShortcutsSoon();
    if (isAtEnd) this.showNewest();
    if (state.isOpen && state.selectedExchange?.isInFlight) this.fetch(state.selected);
    this.controls.show();
    this.shownAt = performance.now();
    this.cost = this.shownAt - began;
  },

  /** Returns what has ended. */
  takeNews() {
    const { exchanges } = capture;
    const added = exchangesOf(this.news);
    this.news = [];
    this.removeInFlight();
    mergeByStart(exchanges, added);
    if (exchanges.length > mostExchanges + surplus) {
      this.leftOut += exchanges.splice(0, exchanges.length - mostExchanges).length;
      capture.measure();
    } else {
      capture.include(added);
    }
    if (this.newFlight) {
      this.inFlight = exchangesOf(this.newFlight);
      this.newFlight = null;
    }
    // What has ended may still be among those in flight until the proxy says otherwise.
    const over = new Set(added.map(lineageOf));
    if (over.size) this.inFlight = this.inFlight.filter((exchange) => !over.has(lineageOf(exchange)));
    capture.include([], this.inFlight);
    mergeByStart(exchanges, this.inFlight);
    return added;
  },

  /** They are few, and most are at the end. */
  removeInFlight() {
    const { exchanges } = capture;
    const gone = new Set(this.inFlight);
    for (let place = exchanges.length - 1; gone.size && place >= 0; place -= 1) {
      if (gone.delete(exchanges[place])) exchanges.splice(place, 1);
    }
  },

  /** An exchange in flight that was selected stays so when it has ended, under its number in the log. */
  keepSelection(selected, added) {
    if (!selected?.isInFlight || this.inFlight.some(({ number }) => number === selected.number)) return;
    const lineage = lineageOf(selected);
    const successor = added.find((exchange) => lineageOf(exchange) === lineage);
    if (successor) state.select(successor.number);
  },

  /** What the address asked for when the page was opened. */
  openAddress() {
    if (!this.address || !capture.exchanges.length) return;
    history.replaceState(null, '', this.address);
    this.address = '';
    readAddress();
  },

  /** Whoever scrolls has the frames for that: what comes meanwhile is mostly out of sight. */
  noteScroll() {
    this.wasAtEnd = this.isAtEnd();
    if (!this.wasAtEnd) this.scrolledAt = performance.now();
  },

  isAtEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.table.viewport;
    return this.controls.isFollowing && scrollTop + clientHeight >= scrollHeight - 2 * this.table.rowHeight;
  },

  showNewest() {
    if (state.sort.key !== 'start') return;
    this.table.viewport.scrollTop = state.sort.isDescending ? 0 : this.table.viewport.scrollHeight;
  },

  /** The filters that are offered change with what there is, but not under somebody's hand. */
  showShortcutsSoon() {
    this.shortcutsTimer ??= setTimeout(() => {
      this.shortcutsTimer = undefined;
      const place = byId('shortcuts');
      if (place.contains(document.activeElement) || place.matches(':hover')) {
        this.showShortcutsSoon();
        return;
      }
      const began = performance.now();
      toolbar.showNotices();
      toolbar.showShortcuts();
      toolbar.showCount();
      this.shortcutsCost = performance.now() - began;
    }, Math.max(400, this.shortcutsCost * 20));
  },

  // MARK: Details

  has({ number }) {
    if (this.blocks.has(`entry-${number}`)) return true;
    this.fetch(number);
    return false;
  },

  /** Asks for all that the log has of an exchange, and shows it. */
  async fetch(number) {
    if (this.fetching.has(number)) return;
    this.fetching.add(number);
    try {
      const answer = await fetch(liveAddress(`/exchange/${number}`));
      if (answer.ok) this.keep(number, await answer.json());
      else this.failDetails(number, 'The log no longer has this exchange.');
    } catch {
      this.failDetails(number, this.hasEnded ? 'The recording has ended: its log has the details.' : 'The proxy does not answer.');
    } finally {
      this.fetching.delete(number);
    }
  },

  async parts({ number }) {
    try {
      const answer = await fetch(liveAddress(`/exchange/${number}`));
      return answer.ok ? await answer.json() : null;
    } catch {
      return null;
    }
  },

  keep(number, parts) {
    for (const [name, value] of Object.entries(parts)) this.blocks.set(`${name}-${number}`, JSON.stringify(value));
    capture.entries.delete(number);
    this.kept = [...this.kept.filter((other) => other !== number), number];
    if (this.kept.length > mostDetails) {
      const oldest = this.kept.shift();
      for (const name of ['entry', 'request', 'response', 'events', 'answer']) this.blocks.delete(`${name}-${oldest}`);
    }
    if (number === state.selected || number === state.compared) this.details.refresh();
  },

  /** Says so where the details would be, unless older ones are there. */
  failDetails(number, text) {
    if (state.selected === number && !this.blocks.has(`entry-${number}`)) this.details.say(text);
  },

  /** Asks for the rules at most once a second; after the recording, they stay as they were. */
  async rules() {
    if (performance.now() < this.rulesAskedAt + 1000) return this.knownRules;
    this.rulesAskedAt = performance.now();
    try {
      this.knownRules = (await (await fetch(liveAddress('/rules'))).json()).rules;
    } catch {
      // Nobody answers any more.
    }
    return this.knownRules;
  },

  async mark(name) {
    try {
      const headers = { 'X-Tapeline-Token': this.token };
      return (await fetch(`/live/mark?${encodeURIComponent(name)}`, { method: 'POST', headers })).ok;
    } catch {
      return false;
    }
  },
});
