// The exchanges that the filter lets through, in figures.

const shownPercentiles = [50, 90, 95, 99];

class Summary {
  constructor(place) {
    this.place = place;
    state.on('list view', () => {
      if (state.view === 'summary') this.draw();
    });
  }

  async draw() {
    const [cards, panels] = summaryContent(state.listed);
    this.place.replaceChildren(cards, panels);
    const rules = panel('Rules', ruleTable(await feed.rules()), 'wide');
    if (rules) panels.append(rules);
  }
}

function summaryContent(listed) {
  const exchanges = listed.filter((exchange) => !exchange.isTunnel);
  return [
    cards(listed, exchanges),
    element('div', { class: 'summary-grid' }, [
      panel('Time by phase', percentileTable(exchanges), 'wide'),
      panel('Slowest', slowestTable(exchanges)),
      panel(
        'Hosts',
        groupTable(
          exchanges,
          'Host',
          ({ host }) => host,
          ({ host }) => `host == ${quotedText(host)}`,
        ),
        'wide',
      ),
      panel('Failures', failureTable(listed)),
      panel(
        'Statuses',
        countTable(countsOf(exchanges.map(statusOf)), exchanges.length, statusFilter(exchanges)),
      ),
      panel('Types', typeTable(exchanges)),
      capture.pages.size > 1
        ? panel(
            'Pages',
            groupTable(
              exchanges,
              'Page',
              ({ page }) => capture.pages.get(page)?.title ?? page ?? '–',
              ({ page }) => `page == ${quotedText(page ?? '')}`,
            ),
            'wide',
          )
        : null,
      panel('Connections', connectionTable(exchanges)),
    ]),
  ];
}

function panel(title, content, kind = '') {
  return content ? element('section', { class: `card ${kind}` }, element('h2', {}, title), content) : null;
}

/** A gRPC call counts as how it ended: `200/8`. */
function statusOf({ status, failure }) {
  return failure?.callStatus ? `${status}/${failure.callStatus}` : status || 'none';
}

/** A filter for the exchanges of a status: those of failed calls are not among the others with the same code. */
function statusFilter(exchanges) {
  const failedCalls = new Set(exchanges.filter(({ failure }) => failure?.callStatus).map(({ status }) => status));
  return (text) => {
    const [status, call] = String(text).split('/');
    if (call) return `status == ${status} and error ~ "^gRPC ${call}( |:|$)"`;
    const filter = `status == ${status === 'none' ? 0 : status}`;
    return failedCalls.has(Number(status)) ? `${filter} and not error ~ "^gRPC "` : filter;
  };
}

function cards(listed, exchanges) {
  const failed = listed.filter(({ isFailed }) => isFailed);
  const ended = listed.filter(({ endText }) => endText);
  const errors = exchanges.filter(({ isFailed, status }) => !isFailed && status >= 400);
  const totals = sortedTimes(exchanges, 'total');
  const sockets = exchanges.filter(({ hasSwitched }) => hasSwitched).length;
  const tunnels = listed.length - exchanges.length;
  const first = listed.reduce((least, { offset }) => Math.min(least, offset), Infinity);
  const last = listed.reduce((most, { end }) => Math.max(most, end), 0);
  const card = (title, value, note, filter, kind = '') => {
    const made = element(
      filter ? 'button' : 'div',
      { class: `figure-card ${kind}`, type: filter ? 'button' : undefined, title: filter ? 'List them' : undefined },
      element('span', { class: 'figure-title' }, title),
      element('span', { class: 'figure-value' }, value),
      element('span', { class: 'figure-note' }, note),
    );
    if (filter) made.addEventListener('click', () => listOnly(filter));
    return made;
  };
  return element('div', { class: 'cards' }, [
    card(
      'Exchanges',
      exchanges.length.toLocaleString('en'),
      [
        listed.length < capture.exchanges.length && `of ${capture.exchanges.length.toLocaleString('en')}`,
        sockets && countText(sockets, 'WebSocket', 'WebSockets'),
        tunnels && countText(tunnels, 'tunnel', 'tunnels'),
      ]
        .filter(Boolean)
        .join(', ') || `over ${durationText(last - Math.min(first, last))}`,
    ),
    card(
      'Failed',
      failed.length.toLocaleString('en'),
      shareText(failed.length, listed.length),
      failed.length ? 'error' : null,
      failed.length ? 'bad' : '',
    ),
    ended.length
      ? card('Ended by the client', ended.length.toLocaleString('en'), shareText(ended.length, listed.length), 'ended')
      : null,
    card(
      '4xx and 5xx',
      errors.length.toLocaleString('en'),
      shareText(errors.length, exchanges.length),
      errors.length ? 'status >= 400' : null,
      errors.length ? 'warn' : '',
    ),
    card(
      'Time, p50',
      durationText(percentile(totals, 50)),
      `p95 ${durationText(percentile(totals, 95))}, of ${countText(totals.length, 'answer', 'answers')}`,
    ),
    card('Longest', durationText(totals.at(-1)), totals.length ? 'see Slowest' : ''),
    card('Received', byteText(sumOf(listed, 'responseSize')), `decoded ${byteText(sumOf(exchanges, 'contentSize'))}`),
    card('Sent', byteText(sumOf(listed, 'requestSize')), 'bodies'),
    card(
      'Connections reused',
      shareText(exchanges.filter(({ isReused }) => isReused).length, exchanges.filter(({ status }) => status !== 0).length),
      countText(exchanges.filter(({ connect }) => connect >= 0).length, 'new one', 'new ones'),
      'not reused',
    ),
  ]);
}

/** Goes to the table with that filter. */
function listOnly(filter) {
  const narrowed =
    state.filter.trim() && !state.failure && looksLikeQuery(state.filter) ? `(${state.filter.trim()}) and ${filter}` : filter;
  toolbar.setFilter(narrowed);
  state.show('exchanges');
}

function dataTable(headings, rows) {
  if (!rows.length) return null;
  return element(
    'table',
    { class: 'data' },
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        headings.map(({ title, isFigure }) => element('th', { scope: 'col', class: isFigure ? 'figure' : '' }, title)),
      ),
    ),
    element(
      'tbody',
      {},
      rows.map((cells) =>
        element(
          'tr',
          {},
          cells.map((cell, index) => element('td', { class: headings[index].isFigure ? 'figure' : '' }, cell)),
        ),
      ),
    ),
  );
}

const figures = (titles) => titles.map((title) => ({ title, isFigure: true }));

function percentileTable(exchanges) {
  const rows = ['total', ...phaseNames].map((key) => [key, sortedTimes(exchanges, key)]).filter(([, times]) => times.length);
  const longest = Math.max(...rows.map(([, times]) => percentile(times, 95)), 0.001);
  return dataTable(
    [
      { title: 'Phase' },
      { title: 'p50 – p95' },
      ...figures(['Count', ...shownPercentiles.map((percent) => `p${percent}`), 'Longest', 'Sum']),
    ],
    rows.map(([key, times]) => [
      element(
        'span',
        { class: 'phase-name' },
        element('span', { class: `swatch swatch-${key}` }),
        key === 'total' ? 'Total' : phaseTitles[key],
      ),
      rangeBar(key, percentile(times, 50), percentile(times, 95), longest),
      times.length.toLocaleString('en'),
      ...shownPercentiles.map((percent) => durationText(percentile(times, percent))),
      durationText(times.at(-1)),
      durationText(times.reduce((sum, time) => sum + time, 0)),
    ]),
  );
}

function rangeBar(key, low, high, whole) {
  return element(
    'div',
    { class: 'range-track' },
    element('div', { class: `range-high swatch-${key}`, style: { width: `${(high / whole) * 100}%` } }),
    element('div', { class: `range-low swatch-${key}`, style: { width: `${(low / whole) * 100}%` } }),
  );
}

function exchangeLink(exchange, text) {
  const button = element('button', { type: 'button', class: 'link path', title: visibleText(exchange.url) }, visibleText(text));
  button.addEventListener('click', () => {
    state.show('exchanges');
    state.select(exchange.number, true);
  });
  return button;
}

function filterLink(text, filter) {
  const button = element('button', { type: 'button', class: 'link', title: 'List these' }, visibleText(text));
  button.addEventListener('click', () => listOnly(filter));
  return button;
}

function slowestTable(exchanges) {
  const slowest = exchanges
    .filter(({ hasSwitched }) => !hasSwitched)
    .sort((left, right) => right.total - left.total)
    .slice(0, 10);
  return dataTable(
    [{ title: 'Exchange' }, { title: 'Mostly' }, ...figures(['Time'])],
    slowest.map((exchange) => [
      exchangeLink(exchange, `${exchange.method} ${exchange.authority}${exchange.path}`),
      element(
        'span',
        { class: 'phase-name' },
        element('span', { class: `swatch swatch-${exchange.longestPhase}` }),
        phaseTitles[exchange.longestPhase] ?? '–',
      ),
      durationText(exchange.total),
    ]),
  );
}

function groupTable(exchanges, title, keyOf, filterOf) {
  const groups = groupsOf(exchanges, keyOf).slice(0, 25);
  return dataTable(
    [{ title }, ...figures(['Count', 'Failed', '4xx, 5xx', 'Received', 'p50', 'p95', 'Longest', 'Sum'])],
    groups.map(({ key, members, time }) => {
      const times = sortedTimes(members, 'total');
      const failed = members.filter(({ isFailed }) => isFailed).length;
      const errors = members.filter(({ isFailed, status }) => !isFailed && status >= 400).length;
      return [
        filterLink(key || '–', filterOf(members[0])),
        members.length.toLocaleString('en'),
        element('span', { class: failed ? 'bad' : 'quiet' }, String(failed)),
        element('span', { class: errors ? 'warn' : 'quiet' }, String(errors)),
        byteText(sumOf(members, 'responseSize')),
        durationText(percentile(times, 50)),
        durationText(percentile(times, 95)),
        durationText(times.at(-1)),
        durationText(time),
      ];
    }),
  );
}

function failureTable(exchanges) {
  const counts = countsOf(
    exchanges
      .filter(({ isFailed }) => isFailed)
      .map(({ failure, failureFacts }) => failureFacts || failure.message),
  ).slice(0, 12);
  if (!counts.length) return element('p', { class: 'quiet' }, 'None.');
  return dataTable(
    [{ title: 'What' }, ...figures(['Count'])],
    counts.map(([what, count]) => [element('span', { class: 'bad cause' }, visibleText(what)), String(count)]),
  );
}

function countTable(counts, whole, filterOf) {
  return dataTable(
    [{ title: '' }, ...figures(['Count', 'Share'])],
    counts
      .slice(0, 12)
      .map(([key, count]) => [filterLink(String(key), filterOf(key)), count.toLocaleString('en'), shareText(count, whole)]),
  );
}

function typeTable(exchanges) {
  const groups = groupsOf(exchanges, ({ mime }) => mime || '–')
    .map(({ key, members }) => ({ key, members, size: sumOf(members, 'responseSize') }))
    .sort((left, right) => right.size - left.size)
    .slice(0, 12);
  return dataTable(
    [{ title: '' }, ...figures(['Count', 'Received', 'Decoded'])],
    groups.map(({ key, members, size }) => [
      filterLink(key, `mime == ${quotedText(key === '–' ? '' : key)}`),
      members.length.toLocaleString('en'),
      byteText(size),
      byteText(sumOf(members, 'contentSize')),
    ]),
  );
}

function ruleTable(rules) {
  return dataTable(
    [{ title: 'Rule' }, ...figures(['Matched', 'Changed'])],
    rules.map(({ rule, matched, applied, off }, index) => [
      element('span', { class: off ? 'quiet cause' : 'cause' }, visibleText(`${index + 1}. ${rule}${off ? ' (off)' : ''}`)),
      matched.toLocaleString('en'),
      applied.toLocaleString('en'),
    ]),
  );
}

function connectionTable(exchanges) {
  const made = exchanges.filter(({ connect }) => connect >= 0);
  const reused = exchanges.filter(({ isReused }) => isReused);
  const mean = (list, key) => (list.length ? durationText(sumOf(list, key) / list.length) : '–');
  const answered = (list) => sortedTimes(list, 'total');
  return dataTable(
    [{ title: '' }, ...figures(['Count', 'Time, p50', 'Time, p95', 'Connect, mean', 'TLS, mean'])],
    [
      ['New', made],
      ['Reused', reused],
    ].map(([title, list]) => [
      title,
      list.length.toLocaleString('en'),
      durationText(percentile(answered(list), 50)),
      durationText(percentile(answered(list), 95)),
      list === made ? mean(list, 'connect') : '–',
      list === made
        ? mean(
            list.filter(({ ssl }) => ssl >= 0),
            'ssl',
          )
        : '–',
    ]),
  );
}
