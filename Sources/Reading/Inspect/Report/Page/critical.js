// The critical paths, as `ReportCriticalPath` in Swift writes them, and where their line runs through the waterfall.

const critical = {
  /** By page, `''` for none: duration, client, paths, costliest with its saving, group, and remark; in milliseconds. */
  pages: new Map(),
  /** The numbers of the exchanges on a path; equally long ones count, too. */
  numbers: new Set(),
  /** The number of exchanges that were looked at if there were more; `null` for all. */
  limit: null,
  reasons: [],
  /** By number of an exchange on the line: when the line comes from another row and when it leaves for the next. */
  turns: new Map(),
  /** Rows between two exchanges of the line, in their order: `{ from, to, time }`. */
  drops: [],

  load() {
    const block = dataBlock('critical');
    if (!block) return;
    const { pages, limit = null, reasons } = block;
    Object.assign(this, { limit, reasons, pages: new Map(pages.map((page) => [page.page, page])) });
    for (const number of pages.flatMap(({ paths }) => paths.flat())) this.numbers.add(number);
    state.on('list', () => this.lay());
  },

  has({ number }) {
    return this.numbers.has(number);
  },

  /** The page that somebody looks at: that of the selected exchange, else the longest. */
  get page() {
    const selected = state.selectedExchange;
    if (selected && this.pages.has(selected.page ?? '')) return this.pages.get(selected.page ?? '');
    return [...this.pages.values()].reduce((longest, page) => (longest && longest.duration >= page.duration ? longest : page), null);
  },

  /**
   * Slack (-1 if nobody waited for it), saving and client's time in milliseconds, whether they are sure, and what the exchange
   * waited for; `undefined` if it was not looked at.
   */
  facts({ number }) {
    this.rows ??= new Map((dataBlock('critical-rows') ?? []).map((row) => [row[0], row]));
    const row = this.rows.get(number);
    if (!row) return undefined;
    const [, slack, saving, client, isSure, causes] = row;
    return {
      slack,
      saving,
      client,
      isSure: isSure === 1,
      causes: causes.map(([source, reason, confidence, isBinding]) => ({
        source,
        reason: this.reasons[reason],
        confidence,
        isBinding: isBinding === 1,
      })),
    };
  },

  /** Lays the line through the listed rows, if they are in the order of time. */
  lay() {
    this.turns = new Map();
    this.drops = [];
    if (!this.numbers.size || state.view === 'connections' || state.sort.key !== 'start' || state.sort.isDescending) return;
    const places = new Map();
    state.items.forEach((item, index) => {
      if (this.numbers.has(item.number)) places.set(item.number, index);
    });
    for (const { paths } of this.pages.values()) {
      const [path = []] = paths;
      path.slice(1).forEach((number, index) => this.connect(places.get(path[index]), places.get(number)));
    }
    this.drops.sort((left, right) => left.from - right.from);
  },

  connect(from, to) {
    if (from === undefined || to === undefined || from >= to) return;
    const [earlier, later] = [state.items[from], state.items[to]];
    // What waited for its connection was released when it was sent; the rest, before it began.
    const sent = later.offset + later.apart + Math.max(0, later.blocked);
    const time = Math.min(earlier.end, sent);
    this.turns.set(earlier.number, { ...this.turns.get(earlier.number), leaves: time });
    this.turns.set(later.number, { ...this.turns.get(later.number), comes: time });
    if (to - from > 1) this.drops.push({ from: from + 1, to, time });
  },

  /** When the line passes through a row that is not on it. */
  dropAt(index) {
    let [low, high] = [0, this.drops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.drops[middle].to <= index) low = middle + 1;
      else high = middle;
    }
    const drop = this.drops[low];
    return drop && drop.from <= index ? drop.time : undefined;
  },
};

const criticalWidth = 2;

/** The line of the critical path in a row: under the bar of an exchange on it, or on its way down to the next. */
function drawCritical(canvas, exchange, index, width, height) {
  const drop = critical.dropAt(index);
  const isOn = critical.has(exchange);
  if (drop === undefined && !isOn) return;
  const context = canvas.getContext('2d');
  context.fillStyle = themeColors.of('critical');
  const at = (time) => Math.min(Math.max(placeOf(time, width), -10), width + 10);
  const down = (time, from, to) => context.fillRect(Math.round(at(time)) - criticalWidth / 2, from, criticalWidth, to - from);
  if (drop !== undefined) down(drop, 0, height);
  if (!isOn) return;
  const line = Math.round(height / 2) + 7;
  const { comes, leaves } = critical.turns.get(exchange.number) ?? {};
  const [from, to] = [Math.max(exchange.offset, comes ?? -Infinity), leaves ?? exchange.end];
  context.fillRect(at(from), line, Math.max(at(to) - at(from), 3), criticalWidth);
  if (comes !== undefined) {
    down(comes, 0, line + criticalWidth);
    // The client's own time.
    for (let place = at(comes) + 2; place < at(exchange.offset); place += 4) context.fillRect(place, line, 2, criticalWidth);
  }
  if (leaves !== undefined) down(leaves, line, height);
}

/** The exchange in few words, with a link to it. */
function criticalLink(number) {
  const exchange = capture.exchanges.find((one) => one.number === number);
  if (!exchange) return `#${number}`;
  const place = exchange.authority + exchange.path;
  const short = place.length > 56 ? `${place.slice(0, 24)}…${place.slice(-31)}` : place;
  return exchangeLink(exchange, `#${number} ${exchange.method} ${short}`);
}

/** What to make faster, in sentences: nodes and texts. */
function criticalSentence({ duration, client, paths, costliest, saving, isSure, rival, group, remark }) {
  const whole = durationText(duration);
  const parts = [];
  if (costliest !== undefined) {
    parts.push('Without ', criticalLink(costliest), `, the end ${isSure ? 'would' : 'may'} come `);
    parts.push(element('b', {}, `${durationText(saving)} earlier`), `: after ${durationText(Math.max(0, duration - saving))}, not ${whole}`);
    if (rival) parts.push('; ', criticalLink(rival.number), ` may have cost more, up to ${durationText(rival.most)}`);
    parts.push('.');
  } else if (duration > 0) {
    parts.push(`No single exchange delays the end at ${whole}${paths.length > 1 ? `: ${paths.length} paths are equally long` : ''}.`);
  } else {
    parts.push('No exchange took any time.');
  }
  if (group) parts.push(` Without the ${group.text} together, it may come ${durationText(group.saving)} earlier.`);
  if (client > 0) parts.push(element('span', { class: 'quiet' }, ` The client itself took ${durationText(client)} of the path.`));
  if (remark) {
    parts.push(` Nothing explains ${durationText(remark.client)} of that, before `, criticalLink(remark.next), '; ');
    parts.push(criticalLink(remark.ended), ` had ended ${durationText(remark.pause)} before it, and may be the reason.`);
  }
  return parts;
}

/** Says, above the table, what to make faster on the page that somebody looks at. */
class CriticalStrip {
  constructor(place) {
    this.place = place;
    if (!critical.numbers.size) return;
    place.hidden = false;
    this.text = element('p');
    this.only = element('button', { type: 'button', title: 'List only the exchanges of the critical path (p)' });
    this.only.addEventListener('click', () => state.setPathOnly(!state.isPathOnly));
    place.append(element('span', { class: 'critical-mark', 'aria-hidden': 'true' }), this.text, this.only);
    state.on(
      'list selection',
      oncePerFrame(() => this.show()),
    );
  }

  show() {
    this.only.setAttribute('aria-pressed', String(state.isPathOnly));
    const { page } = critical;
    if (this.page === page) return;
    this.page = page;
    const title = critical.pages.size > 1 ? capture.pages.get(page.page)?.title || page.page || 'Without a page' : null;
    const limit =
      critical.limit === null ? null : `Only the first ${countText(critical.limit, 'exchange', 'exchanges')} were looked at.`;
    const parts = [title && element('b', {}, `${visibleText(title)}: `), ...criticalSentence(page), limit && ` ${limit}`];
    this.text.replaceChildren(...parts.filter(Boolean));
    this.only.textContent = `Critical path (${critical.numbers.size.toLocaleString('en')})`;
  }
}

/** What the exchange cost, in words; `null` if it was not looked at. */
function criticalText(exchange) {
  const facts = critical.facts(exchange);
  if (!facts) return null;
  const verb = facts.isSure ? 'would' : 'may';
  const saving = facts.saving > 0 ? `without it, the end ${verb} come ${durationText(facts.saving)} earlier` : null;
  if (critical.has(exchange)) return `On the critical path: ${saving ?? 'another path is as long'}.`;
  if (facts.slack < 0) return 'Nobody waited for it.';
  const slack = facts.isSure
    ? `Not on the critical path: ${durationText(facts.slack)} more would not have delayed the end`
    : `Perhaps not on the critical path: it may have had ${durationText(facts.slack)} to spare`;
  return saving ? `${slack}, but ${saving}: others waited for its connection.` : `${slack}.`;
}

/** What the exchange waited for, and what it cost. */
function criticalSection(exchange) {
  const facts = critical.facts(exchange);
  if (!facts) return null;
  const rows = facts.causes.map(({ source, reason, confidence, isBinding }) =>
    element(
      'tr',
      {},
      element('td', {}, isBinding ? '●' : '○', element('span', { class: 'off-screen' }, isBinding ? 'held it back' : 'did not hold it back')),
      element('td', {}, visibleText(reason)),
      element('td', {}, criticalLink(source)),
      element('td', { class: 'figure quiet', title: 'How sure this is' }, `${confidence} %`),
    ),
  );
  return section(
    'Critical path',
    [],
    element('p', {}, criticalText(exchange)),
    rows.length
      ? element(
          'p',
          { class: 'quiet' },
          `It waited for these; ● held it back to the last moment. Then the client took ${durationText(facts.client)}.`,
        )
      : element('p', { class: 'quiet' }, 'It began by itself: nothing in the capture explains when.'),
    rows.length ? element('table', { class: 'data causes' }, element('tbody', {}, rows)) : null,
  );
}
