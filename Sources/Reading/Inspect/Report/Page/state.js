// What the reader has chosen. A change names the part that changed, and everything that shows that part is drawn again.

const state = {
  /** `exchanges`, `connections` (the same list by connection), or `summary`. */
  view: 'exchanges',
  filter: '',
  /** What exchanges may be for: keys of types. None of them is all. */
  types: new Set(),
  /** Whether only exchanges of the critical path are listed. */
  isPathOnly: false,
  sort: { key: 'start', isDescending: false },
  columns: null,
  /** The number of the exchange under the cursor, and whether its details are open. */
  selected: null,
  isOpen: false,
  tab: 'headers',
  /** The number of the exchange that others are compared with. */
  compared: null,
  /** Milliseconds from the start of the capture: what the waterfall shows. */
  span: { from: 0, to: 1 },
  /** Whether only exchanges within the span are listed. */
  isSpanOnly: false,

  /** What is listed: exchanges, and pages as headings of theirs. */
  items: [],
  /** The exchanges that the filter lets through, and those of them that are in `items`: the others are outside of the span. */
  matching: [],
  listed: [],
  failure: null,

  listeners: new Map(),

  on(parts, listener) {
    for (const part of parts.split(' ')) {
      if (!this.listeners.has(part)) this.listeners.set(part, []);
      this.listeners.get(part).push(listener);
    }
  },

  changed(part) {
    for (const listener of this.listeners.get(part) ?? []) listener();
  },

  get wholeSpan() {
    const margin = Math.max(capture.duration * 0.01, 0.01);
    return { from: -margin, to: capture.duration + margin };
  },

  get isZoomed() {
    const { from, to } = this.wholeSpan;
    return this.span.from > from || this.span.to < to;
  },

  get selectedExchange() {
    if (this.selected === null) return null;
    return (
      this.listed.find((exchange) => exchange.number === this.selected) ??
      capture.exchanges.find((exchange) => exchange.number === this.selected) ??
      null
    );
  },

  setFilter(text) {
    if (text === this.filter) return;
    this.filter = text;
    this.list();
  },

  setTypes(types) {
    this.types = new Set(types);
    this.list();
  },

  setPathOnly(isPathOnly) {
    this.isPathOnly = isPathOnly && critical.numbers.size > 0;
    this.list();
  },

  setSort(key, isDescending) {
    this.sort = { key, isDescending };
    this.list();
  },

  setSpan(from, to, isSpanOnly = this.isSpanOnly) {
    const whole = this.wholeSpan;
    const shortest = Math.min(0.02, whole.to - whole.from);
    const length = Math.min(Math.max(to - from, shortest), whole.to - whole.from);
    const start = Math.min(Math.max(from, whole.from), whole.to - length);
    const mustNarrow = isSpanOnly || this.isSpanOnly;
    this.span = { from: start, to: start + length };
    this.isSpanOnly = isSpanOnly && this.isZoomed;
    if (mustNarrow) this.narrow();
    this.changed('span');
  },

  resetSpan() {
    const { from, to } = this.wholeSpan;
    this.setSpan(from, to, false);
  },

  /** Scales the span about an instant. */
  zoom(factor, center = (this.span.from + this.span.to) / 2) {
    this.setSpan(center - (center - this.span.from) * factor, center + (this.span.to - center) * factor);
  },

  pan(share) {
    const distance = (this.span.to - this.span.from) * share;
    this.setSpan(this.span.from + distance, this.span.to + distance);
  },

  select(number, isOpen = this.isOpen) {
    const isSame = number === this.selected && isOpen === this.isOpen;
    this.selected = number;
    this.isOpen = isOpen && number !== null;
    if (!isSame) this.changed('selection');
  },

  /** Compares the exchanges that are selected from now on with this one; or no more. */
  compare(number) {
    this.compared = this.compared === number ? null : number;
    if (this.compared !== null) this.tab = 'compare';
    this.changed('tab');
  },

  /** The exchange so many places behind the selected one. */
  selectBy(distance) {
    if (!this.listed.length) return;
    const place = this.listed.findIndex((exchange) => exchange.number === this.selected);
    const from = place < 0 && distance < 0 ? this.listed.length : place;
    this.select(this.listed[Math.min(Math.max(from + distance, 0), this.listed.length - 1)].number);
  },

  show(view) {
    const isRegrouped = (view === 'connections') !== (this.view === 'connections');
    this.view = view;
    if (isRegrouped) this.narrow();
    this.changed('view');
  },

  /** Lists anew, by the filter, the types, the critical path and the order. While a filter makes no sense, what was listed stays. */
  list() {
    const { test, failure } = compiledFilter(this.filter);
    this.failure = failure ?? null;
    if (!failure) {
      capture.lacksEntries = false;
      const matching = this.matchesAll(test) ? capture.exchanges : capture.exchanges.filter((exchange) => this.matches(exchange, test));
      if (capture.lacksEntries) {
        this.failure = 'The live page does not know this part of each exchange: filter by it in the report.';
      } else {
        this.matching = sorted(matching, this.sort);
        this.changed('matching');
      }
    }
    this.narrow();
  },

  matchesAll(test) {
    return !test && this.types.size === 0 && !this.isPathOnly;
  },

  matches(exchange, test) {
    return (
      (this.types.size === 0 || this.types.has(exchange.kind)) &&
      (!this.isPathOnly || critical.has(exchange)) &&
      (!test || test(exchange))
    );
  },

  /** Lists the exchanges that match and, if asked, were in flight during the span. */
  narrow() {
    const { from, to } = this.span;
    this.listed = this.isSpanOnly ? this.matching.filter(({ offset, end }) => end >= from && offset <= to) : this.matching;
    this.items = this.listed;
    if (this.view === 'connections') this.group(byConnection(this.listed));
    else if (this.sort.key === 'start' && !this.sort.isDescending && capture.pages.size > 1) this.group(byPage(this.listed));
    this.changed('list');
  },

  /** Puts the members of each group below its heading. */
  group(groups) {
    this.items = [];
    this.listed = [];
    for (const group of groups) {
      if (!group.members.length) continue;
      this.items.push(group);
      for (const exchange of group.members) {
        this.items.push(exchange);
        this.listed.push(exchange);
      }
    }
  },
};

function sorted(exchanges, { key, isDescending }) {
  const { value } = allColumns.find((column) => column.key === key);
  const sign = isDescending ? -1 : 1;
  const compare = (left, leftBy, right, rightBy) => {
    // What is not known stands last, whichever way.
    if (leftBy === undefined || rightBy === undefined) return (leftBy === undefined) - (rightBy === undefined);
    if (leftBy !== rightBy) return (leftBy < rightBy ? -1 : 1) * sign;
    return left.offset - right.offset || left.number - right.number;
  };
  if (isInOrder(exchanges, value, compare)) return exchanges;
  return exchanges
    .map((exchange) => ({ exchange, by: value(exchange) }))
    .sort((left, right) => compare(left.exchange, left.by, right.exchange, right.by))
    .map(({ exchange }) => exchange);
}

/** The live page lists anew again and again what is in order already, and that costs much less to see than to do. */
function isInOrder(exchanges, value, compare) {
  let last = null;
  let lastBy;
  for (const exchange of exchanges) {
    const by = value(exchange);
    if (last !== null && compare(last, lastBy, exchange, by) > 0) return false;
    last = exchange;
    lastBy = by;
  }
  return true;
}

/** Headings for the pages: `{ page, members }`. */
function byPage(exchanges) {
  const groups = new Map([...capture.pages.keys()].map((id) => [id, []]));
  const others = [];
  for (const exchange of exchanges) (groups.get(exchange.page) ?? others).push(exchange);
  const pages = [...groups].map(([id, members]) => ({ page: capture.pages.get(id), members }));
  return [...pages, { page: { id: null, title: 'Without a page', offset: 0 }, members: others }];
}

/** Headings for the connections to servers, in the order of their first exchanges. */
function byConnection(exchanges) {
  const groups = groupsBy(exchanges, ({ connection }) => connection);
  return [...groups].map(([id, members]) => {
    const [first] = members;
    const version = id === null ? '' : versionName(first.version);
    const title = id === null ? 'Without a connection' : [`Connection ${id}`, first.authority, version].filter(Boolean).join(' · ');
    const most = id === null ? 0 : mostAtOnce(members);
    return { page: { id, title, offset: first.offset }, members, note: most > 1 ? `, at most ${most} at once` : '' };
  });
}

/** How many were in flight at the same time. */
function mostAtOnce(exchanges) {
  const ends = Float64Array.from(exchanges, ({ end }) => end).sort();
  let most = 0;
  let ended = 0;
  Float64Array.from(exchanges, ({ offset }) => offset)
    .sort()
    .forEach((start, begun) => {
      while (ends[ended] <= start) ended += 1;
      most = Math.max(most, begun + 1 - ended);
    });
  return most;
}
