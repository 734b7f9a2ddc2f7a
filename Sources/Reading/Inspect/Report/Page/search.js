// Search in heads and bodies, with the line that matches.

/** How many lines of an exchange are shown, how many exchanges, and how much of a line around what was looked for. */
const linesOfExchange = 5;
const exchangesFound = 200;
const aroundMatch = 60;

/** Milliseconds of work between two looks at what else there is to do, and how many exchanges the live page asks for at once. */
const searchSlice = 12;
const searchFetches = 4;

/** What is searched of an exchange: where it is, the tab that shows it, and its lines. */
function* searchedTexts(exchange, parts) {
  const entry = shapedEntry(parts.entry ?? {});
  const { request, response } = entry;
  const fields = (pairs) => pairs.map(({ name, value }) => `${name}: ${value}`);
  yield ['request', 'headers', [`${exchange.method} ${exchange.url}`, ...fields(request.headers), ...fields(request._trailers)]];
  yield ['request body', 'request', bodyLines(request.postData, parts.request)];
  const status = [exchange.status || exchange.outcome, response.statusText].filter(Boolean).join(' ');
  yield ['response', 'headers', [status, ...fields(response.headers), ...fields(response._trailers)]];
  yield ['response body', 'response', bodyLines(response.content, parts.response)];
  yield ['message', 'messages', entry._webSocketMessages.flatMap(({ data, opcode }) => (opcode === 1 ? linesOf(String(data ?? '')) : []))];
}

function bodyLines(holder, body) {
  const text = String(body?.text ?? '');
  if (String(holder?.encoding ?? holder?._encoding ?? '').toLowerCase() !== 'base64') return linesOf(text);
  try {
    return linesOf(new TextDecoder().decode(Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0))));
  } catch {
    return [];
  }
}

function linesOf(text) {
  return text ? text.split(/\r\n|\r|\n/) : [];
}

class Search {
  constructor(place) {
    this.place = place;
    this.input = element('input', {
      type: 'search',
      spellcheck: 'false',
      autocomplete: 'off',
      autocapitalize: 'off',
      'aria-label': 'Search in heads and bodies',
      placeholder: 'in heads and bodies of what is listed',
    });
    this.say = element('p', { class: 'quiet', role: 'status' });
    this.found = element('div', { class: 'found', tabindex: '-1' });
    const close = element('button', { type: 'button', title: 'Close (Esc)', 'aria-label': 'Close' }, '✕');
    close.addEventListener('click', () => this.close());
    place.append(element('div', { class: 'search-bar' }, this.input, this.say, close), this.found);
    this.input.addEventListener('input', () => this.beginSoon());
    this.input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.begin();
    });
    place.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      this.close();
    });
    /** Tells a search from the next one. */
    this.round = 0;
  }

  open() {
    this.place.hidden = false;
    this.input.focus();
    this.input.select();
  }

  close() {
    this.round += 1;
    this.place.hidden = true;
    globalThis.CSS.highlights?.delete('found');
    table.place.focus({ preventScroll: true });
  }

  /** When the hand rests. */
  beginSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.begin(), 250);
  }

  async begin() {
    clearTimeout(this.timer);
    const text = this.input.value;
    const round = ++this.round;
    this.found.replaceChildren();
    this.say.textContent = '';
    if (!text) return;
    const exchanges = feed.isLive ? state.listed.toReversed() : state.listed;
    const pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'iu');
    let [searched, count, missing] = [0, 0, 0];
    let paused = performance.now();
    for (let place = 0; place < exchanges.length && count < exchangesFound; place += searchFetches) {
      const some = exchanges.slice(place, place + searchFetches);
      const all = await Promise.all(some.map((exchange) => (exchange.isInFlight ? {} : feed.parts(exchange))));
      if (round !== this.round) return;
      some.forEach((exchange, index) => {
        if (count >= exchangesFound) return;
        searched += 1;
        if (all[index] === null) missing += 1;
        const lines = linesWith(pattern, exchange, all[index] ?? {});
        if (!lines.length) return;
        count += 1;
        this.found.append(foundExchange(exchange, lines, text));
      });
      if (performance.now() - paused < searchSlice) continue;
      this.tell(count, searched, exchanges.length, missing, false);
      await new Promise((resolve) => { setTimeout(resolve); });
      if (round !== this.round) return;
      paused = performance.now();
    }
    this.tell(count, searched, exchanges.length, missing, true);
  }

  tell(count, searched, whole, missing, isDone) {
    const rest = searched < whole ? ` of the first ${searched.toLocaleString('en')}` : '';
    const lost = missing ? `; the log no longer has ${missing.toLocaleString('en')}` : '';
    const found = count ? `in ${countText(count, 'exchange', 'exchanges')}${rest}` : `in no exchange${rest}`;
    this.say.textContent = `${found}${lost}${isDone ? '' : '…'}`;
  }
}

/** The lines of an exchange that match: `{ where, tab, line }`. */
function linesWith(pattern, exchange, parts) {
  const found = [];
  for (const [where, tab, lines] of searchedTexts(exchange, parts)) {
    for (const line of lines) if (pattern.test(line)) found.push({ where, tab, line });
  }
  return found;
}

function foundExchange(exchange, lines, text) {
  const more = lines.length - linesOfExchange;
  return element(
    'section',
    {},
    element('h3', {}, `#${exchange.number} ${exchange.outcome} ${exchange.method} ${visibleText(exchange.path)}`),
    lines.slice(0, linesOfExchange).map((line) => foundLine(exchange, line, text)),
    more > 0 ? element('p', { class: 'quiet' }, countText(more, 'more line', 'more lines')) : null,
  );
}

function foundLine(exchange, { where, tab, line }, text) {
  const at = Math.max(0, line.toLowerCase().indexOf(text.toLowerCase()));
  const [from, to] = [Math.max(0, at - aroundMatch), at + text.length + aroundMatch];
  const button = element(
    'button',
    { type: 'button', class: 'found-line' },
    element('span', { class: 'quiet' }, where),
    element(
      'span',
      { class: 'found-text' },
      from > 0 ? '…' : '',
      visibleText(line.slice(from, at)),
      element('mark', {}, visibleText(line.slice(at, at + text.length))),
      visibleText(line.slice(at + text.length, to)),
      to < line.length ? '…' : '',
    ),
  );
  button.addEventListener('click', () => {
    if (state.view === 'summary') state.show('exchanges');
    state.tab = tab;
    state.select(exchange.number, true);
    state.changed('tab');
    showFound(text);
  });
  return button;
}

/** Marks the text in the details, once they are there, and brings it into view. */
function showFound(text, tries = 20) {
  const range = rangeOf(byId('panel'), text.toLowerCase());
  if (!range) {
    if (tries > 0) setTimeout(() => showFound(text, tries - 1), 50);
    return;
  }
  if (globalThis.Highlight) CSS.highlights.set('found', new Highlight(range));
  range.startContainer.parentElement.scrollIntoView({ block: 'nearest' });
}

function rangeOf(place, text) {
  if (!place) return null;
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const start = node.data.toLowerCase().indexOf(text);
    if (start < 0) continue;
    const range = new Range();
    range.setStart(node, start);
    range.setEnd(node, Math.min(start + text.length, node.data.length));
    return range;
  }
  return null;
}
