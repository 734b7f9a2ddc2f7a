// Two exchanges side by side: what is the same, and what is not.

/** The exchange that was chosen to compare others with; `null` for none, and for itself. */
function counterpartOf(exchange) {
  if (state.compared === null || state.compared === exchange.number) return null;
  return capture.exchanges.find(({ number }) => number === state.compared) ?? null;
}

function compareTab(exchange) {
  const other = counterpartOf(exchange);
  if (!feed.has(other)) return [element('p', { class: 'quiet' }, `#${other.number} is not here yet.`)];
  const sides = [other, exchange];
  const heads = (side) => sides.map(({ entry }) => entry[side].headers);
  return [
    comparison('Exchange', sides, [
      ['URL', ...sides.map(({ url }) => url)],
      ['Method', ...sides.map(({ method }) => method)],
      ['Status', ...sides.map(({ outcome }) => outcome)],
      ['Protocol', ...sides.map(({ entry }) => protocolText(entry.request, entry.response))],
      ['Type', ...sides.map(({ mime }) => mime)],
      ['Sent', ...sides.map(({ requestSize }) => byteText(requestSize))],
      ['Received', ...sides.map(({ responseSize }) => byteText(responseSize))],
      ['Failure', ...sides.map(({ failureText }) => failureText)],
      ['Server', ...sides.map(({ ip }) => ip)],
      ['Connection', ...sides.map(({ connection }) => connection)],
    ]),
    comparison('Times', sides, [
      ['Time', ...sides.map(({ total }) => durationText(total)), changeOfTime(other.total, exchange.total)],
      ...phaseNames.map((phase) => [
        phaseTitles[phase],
        ...sides.map((side) => (side[phase] >= 0 ? durationText(side[phase]) : '')),
        changeOfTime(other[phase], exchange[phase]),
      ]),
    ]),
    comparison('Request headers', sides, comparedFields(...heads('request'))),
    comparison('Response headers', sides, comparedFields(...heads('response'))),
    comparedBodies('Request body', sides.map((side) => side.body('request'))),
    comparedBodies('Response body', sides.map((side) => side.body('response'))),
  ];
}

/** @param rows name, the one's value, the other's, and perhaps what lies between them */
function comparison(title, sides, rows) {
  const known = rows.filter(([, left, right]) => left || right);
  if (!known.length) return null;
  const head = ['', ...sides.map(({ number }) => `#${number}`), ''].map((text) => element('th', { scope: 'col' }, text));
  const lines = known.map(([name, left, right, change = '']) =>
    element(
      'tr',
      { class: left === right ? 'same' : 'other' },
      element('th', { scope: 'row' }, visibleText(name)),
      ...[left, right].map((text) => element('td', {}, visibleText(text ?? ''))),
      element('td', { class: 'figure' }, left === right ? element('span', { class: 'off-screen' }, 'the same') : change || '≠'),
    ),
  );
  const count = known.filter(([, left, right]) => left !== right).length;
  return section(
    `${title} (${countText(count, 'difference', 'differences')})`,
    [],
    element('table', { class: 'comparison' }, element('thead', {}, element('tr', {}, head)), element('tbody', {}, lines)),
  );
}

function changeOfTime(left, right) {
  if (!(left >= 0 && right >= 0) || left === right) return '';
  return `${right > left ? '+' : '−'}${durationText(Math.abs(right - left))}`;
}

/** Lines of the same name together, as RFC 9110 5.3 reads them. */
function comparedFields(left, right) {
  const names = new Map([...left, ...right].map(({ name }) => [name.toLowerCase(), name]));
  return [...names].map(([lower, name]) => [name, valuesNamed(left, lower).join(', '), valuesNamed(right, lower).join(', ')]);
}

/** Where two bodies part. */
function comparedBodies(title, [left, right]) {
  const texts = [left, right].map((body) => body?.text ?? '');
  if (!texts[0] && !texts[1]) return null;
  if (texts[0] === texts[1] && left?.leftOut === right?.leftOut) return section(`${title}: the same`, []);
  let place = 0;
  while (place < texts[0].length && texts[0][place] === texts[1][place]) place += 1;
  const line = texts[0].slice(0, place).split('\n').length;
  const pieces = texts.map((text) => element('pre', { class: 'piece' }, visibleLines(text.slice(Math.max(0, place - 40), place + 200)) || '(nothing more)'));
  return section(
    `${title}: they part in line ${line.toLocaleString('en')}, at character ${place.toLocaleString('en')}`,
    [],
    element('div', { class: 'pieces' }, pieces),
  );
}
