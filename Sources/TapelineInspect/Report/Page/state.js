// What the reader has chosen. A change names the part that changed, and everything that shows that part is drawn again.

const state = {
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

  /** The exchange so many places behind the selected one. */
  selectBy(distance) {
    if (!this.listed.length) return;
    const place = this.listed.findIndex((exchange) => exchange.number === this.selected);
    const from = place < 0 && distance < 0 ? this.listed.length : place;
    this.select(this.listed[Math.min(Math.max(from + distance, 0), this.listed.length - 1)].number);
  },

  show(view) {
    this.view = view;
    this.changed('view');
  },

  /** Lists anew, by the filter, the types, the critical path and the order. While a filter makes no sense, what was listed stays. */
  list() {
    const { test, failure } = compiledFilter(this.filter);
    this.failure = failure ?? null;
    if (!failure) {
      const isOfType = ({ kind }) => this.types.size === 0 || this.types.has(kind);
      const isOfPath = (exchange) => !this.isPathOnly || critical.has(exchange);
      const matches = (exchange) => isOfType(exchange) && isOfPath(exchange) && (!test || test(exchange));
      capture.lacksEntries = false;
      const matching = capture.exchanges.filter(matches);
      if (capture.lacksEntries) {
        this.failure = 'The live page does not know this part of each exchange: filter by it in the report.';
      } else {
        this.matching = sorted(matching, this.sort);
        this.changed('matching');
      }
    }
    this.narrow();
  },

  /** Lists the exchanges that match and, if asked, were in flight during the span. */
  narrow() {
    const { from, to } = this.span;
    this.listed = this.isSpanOnly ? this.matching.filter(({ offset, end }) => end >= from && offset <= to) : this.matching;
    this.items = this.sort.key === 'start' && !this.sort.isDescending ? withPages(this.listed) : this.listed;
    this.changed('list');
  },
};

function sorted(exchanges, { key, isDescending }) {
  const { value } = allColumns.find((column) => column.key === key);
  const sign = isDescending ? -1 : 1;
  return exchanges
    .map((exchange) => ({ exchange, by: value(exchange) }))
    .sort((left, right) => {
      // What is not known stands last, whichever way.
      if (left.by === undefined || right.by === undefined) return (left.by === undefined) - (right.by === undefined);
      if (left.by !== right.by) return (left.by < right.by ? -1 : 1) * sign;
      return left.exchange.offset - right.exchange.offset || left.exchange.number - right.exchange.number;
    })
    .map(({ exchange }) => exchange);
}

/** The exchanges by page, each page before its own; as they are when there is only one page. */
function withPages(exchanges) {
  if (capture.pages.size < 2) return exchanges;
  const groups = new Map([...capture.pages.keys()].map((id) => [id, []]));
  const others = [];
  for (const exchange of exchanges) (groups.get(exchange.page) ?? others).push(exchange);
  const items = [];
  for (const [id, members] of groups) {
    if (members.length) items.push({ page: capture.pages.get(id), members }, ...members);
  }
  if (others.length) items.push({ page: { id: null, title: 'Without a page', offset: 0 }, members: others }, ...others);
  state.listed = items.filter((item) => item instanceof Exchange);
  return items;
}
