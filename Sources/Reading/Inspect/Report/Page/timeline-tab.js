// Where the time of an exchange went.

function timelineTab(exchange) {
  const { _timeline: timeline, _events: events, _chunks: chunks, _overhead: overhead, _debug: debug } = exchange.entry;
  return [
    section('Phases', [], phaseTable(exchange)),
    criticalSection(exchange),
    chunks.length > 1 ? section(`Pieces of the response (${chunks.length})`, [], chunkChart(chunks)) : null,
    overhead ? section('What the proxy took', [], factTable(overheadFacts(exchange, overhead))) : null,
    events ? section('Marks', [], markTable(events)) : null,
    timeline?.description
      ? section(
          'Timeline',
          copyButton('Copy', () => String(timeline.description)),
          element('pre', { class: 'text' }, visibleLines(laidOutTimeline(String(timeline.description)))),
        )
      : null,
    debug
      ? section(
          'Debug description',
          copyButton('Copy', () => String(debug)),
          element('pre', { class: 'text' }, visibleLines(String(debug))),
        )
      : null,
  ];
}

function phaseTable(exchange) {
  const whole = Math.max(exchange.time, 0.001);
  const rows = exchange.segments.map(({ phase, from, to }) => {
    const [start, length] = [((from - exchange.offset) / whole) * 100, ((to - from) / whole) * 100];
    const bar = element(
      'div',
      { class: 'phase-track' },
      element('div', {
        class: `phase-bar swatch-${phase}`,
        style: { left: `${start}%`, width: `${Math.max(length, 0.4)}%` },
      }),
    );
    return element(
      'tr',
      {},
      element(
        'th',
        { scope: 'row', title: phaseHints[phase] },
        element('span', { class: `swatch swatch-${phase}` }),
        phaseTitles[phase],
      ),
      element('td', { class: 'track-cell' }, bar),
      element('td', { class: 'figure' }, exactDurationText(to - from)),
      element('td', { class: 'figure' }, shareText(to - from, exchange.time)),
    );
  });
  const skipped = phaseNames.filter((phase) => exchange[phase] < 0 && !phasesApart.includes(phase)).map((phase) => phaseTitles[phase]);
  return element(
    'table',
    { class: 'phases' },
    element('tbody', {}, rows),
    element(
      'tfoot',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, 'Total'),
        element('td', { class: 'quiet' }, skipped.length ? `did not happen: ${skipped.join(', ')}` : ''),
        element('td', { class: 'figure' }, exactDurationText(exchange.total)),
        element('td'),
      ),
      exchange.apart > 0
        ? element(
            'tr',
            {},
            element('th', { scope: 'row' }, apartText(exchange)),
            element('td', { class: 'quiet' }, 'the time of no server'),
            element('td', { class: 'figure' }, exactDurationText(exchange.time)),
            element('td'),
          )
        : null,
    ),
  );
}

/** Whose time stands beside the total. */
function apartText(exchange) {
  return `With ${phasesApart.filter((phase) => exchange[phase] > 0).join(' and ')}`;
}

function overheadFacts({ proxy }, { request, response, queue, recorder, clientTLS, minting }) {
  return [
    ['On the way out', request === undefined ? request : Math.max(request, proxy)],
    ['On the way back', response],
    ['Until the loop read it', queue],
    ['Until the recorder had caught up', recorder],
    ['TLS with the client', clientTLS],
    ['Making the certificate', minting],
  ].map(([name, value]) => [name, value === undefined ? undefined : exactDurationText(value)]);
}

function markTable(events) {
  const marks = Object.entries(events)
    .filter(([, time]) => typeof time === 'number')
    .sort((left, right) => left[1] - right[1]);
  return element(
    'table',
    { class: 'facts marks' },
    element(
      'tbody',
      {},
      marks.map(([name, time], index) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, visibleText(name)),
          element('td', { class: 'figure' }, `${(time / 1000).toFixed(3)} ms`),
          element('td', { class: 'figure quiet' }, index > 0 ? `+${((time - marks[index - 1][1]) / 1000).toFixed(3)}` : ''),
        ),
      ),
    ),
  );
}

/** The debug description in lines. */
function laidOutTimeline(text) {
  return text.replace('{ ', '{\n  ').replace(/, "/g, ',\n  "').replace(/ \}$/, '\n}');
}

/** Bytes over time: the line rises with each piece. */
function chunkChart(points) {
  const [width, height] = [560, 120];
  const from = points[0].ts;
  const to = Math.max(points.at(-1).ts, from + 1);
  const whole = points.reduce((sum, { bytes }) => sum + bytes, 0) || 1;
  let sum = 0;
  let path = `M 0 ${height}`;
  for (const { ts, bytes } of points) {
    const x = (((ts - from) / (to - from)) * width).toFixed(1);
    path += ` H ${x}`;
    sum += bytes;
    path += ` V ${(height - (sum / whole) * (height - 8)).toFixed(1)}`;
  }
  const gaps = points.slice(1).map(({ ts }, index) => ts - points[index].ts);
  const sortedGaps = gaps.slice().sort((left, right) => left - right);
  const caption =
    `${byteText(whole)} in ${countText(points.length, 'piece', 'pieces')}, ` +
    `from ${durationText(from / 1000)} to ${durationText(to / 1000)}; ` +
    `between pieces p50 ${durationText(percentile(sortedGaps, 50) / 1000)}, longest ${durationText(sortedGaps.at(-1) / 1000)}`;
  const chart = drawing(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': caption, preserveAspectRatio: 'none' },
    drawing('path', { d: `${path} H ${width} V ${height} Z`, class: 'chart-area' }),
    drawing('path', { d: path, class: 'chart-line' }),
    ...points
      .slice(0, 400)
      .map(({ ts }) =>
        drawing('path', { d: `M ${(((ts - from) / (to - from)) * width).toFixed(1)} ${height} v -5`, class: 'chart-mark' }),
      ),
  );
  return element('figure', {}, chart, element('figcaption', {}, caption));
}
