// Everything can be done from the keyboard.

const keyHelp = [
  ['j  k  ↓  ↑', 'next, previous exchange'],
  ['PgDn  PgUp  Home  End', 'further'],
  ['Enter', 'open the details, and go there'],
  ['Esc', 'close, or clear the filter'],
  ['[  ]', 'previous, next tab of the details'],
  ['/', 'filter'],
  ['Ctrl or ⌘ + Shift + F', 'search in heads and bodies of what is listed'],
  ['f', 'only failures, or all'],
  ['p', 'only the critical path, or all'],
  ['n', 'by connection, or by time'],
  ['s', 'summary, or exchanges'],
  ['+  −  0', 'zoom in, out, show all'],
  ['h  l  ←  →', 'move the waterfall'],
  ['o  O', 'sort by the next column, the other way'],
  ['z', 'zoom to the exchange'],
  ['c', 'copy as curl'],
  ['x', 'compare with others, or no more'],
  ['d', 'download what is listed, as HAR'],
  ['t', 'light or dark'],
  ['?', 'this help'],
];

const filterHelp = [
  ['words', 'anywhere in method, URL, status, type, address, error'],
  ['status >= 500', 'numbers: == != < <= > >='],
  ['wait > 200ms', 'total blocked dns connect ssl send wait receive; us ms s m'],
  ['resp.size > 1MiB', 'req.size, content.size; kB MB KiB MiB'],
  ['host ~ "api"', 'a regular expression; !~, like "*.js", in ("a", "b")'],
  ['resp.header["x-cache"] == "HIT"', 'req.header, req.cookie, query, req.param'],
  ['resp.body ~ "error"', 'and req.body'],
  ['error and not reused', 'and, or, not, ( )'],
  ['tls.version == "TLSv1.2"', 'tls.… tcp.… overhead.… and any _member'],
];

function makeHelp() {
  const list = (rows) =>
    element(
      'dl',
      {},
      rows.map(([term, meaning]) => [element('dt', {}, element('kbd', {}, term)), element('dd', {}, meaning)]),
    );
  byId('help').replaceChildren(
    element(
      'div',
      { class: 'help-columns' },
      element('section', {}, element('h2', {}, 'Keys'), list(keyHelp)),
      element('section', {}, element('h2', {}, 'Filter'), list(filterHelp)),
    ),
    element(
      'p',
      { class: 'quiet' },
      'Waterfall: Ctrl and the wheel zoom, Shift and the wheel move, a drag moves, a double click zooms to an exchange. ' +
        'Overview: drag to select a part and list only the exchanges in flight in it; a double click shows all.',
    ),
    element('div', { class: 'dialog-actions' }, closeButton('help')),
  );
}

function followKeys(table, details) {
  const actions = {
    j: () => state.selectBy(1),
    ArrowDown: () => state.selectBy(1),
    k: () => state.selectBy(-1),
    ArrowUp: () => state.selectBy(-1),
    PageDown: () => state.selectBy(table.rowsOnScreen),
    PageUp: () => state.selectBy(-table.rowsOnScreen),
    Home: () => state.selectBy(-Infinity),
    End: () => state.selectBy(Infinity),
    Enter: () => openSelected(details),
    Escape: () => stepBack(table),
    '[': () => details.chooseBy(-1),
    ']': () => details.chooseBy(1),
    '/': () => {
      byId('filter').focus();
      byId('filter').select();
    },
    f: () => toolbar.setFilter(state.filter === 'error or status >= 400' ? '' : 'error or status >= 400'),
    p: () => state.setPathOnly(!state.isPathOnly),
    n: () => state.show(state.view === 'connections' ? 'exchanges' : 'connections'),
    s: () => state.show(state.view === 'summary' ? 'exchanges' : 'summary'),
    '+': () => state.zoom(0.6),
    '=': () => state.zoom(0.6),
    '-': () => state.zoom(1 / 0.6),
    0: () => state.resetSpan(),
    h: () => state.pan(-0.2),
    ArrowLeft: () => state.pan(-0.2),
    l: () => state.pan(0.2),
    ArrowRight: () => state.pan(0.2),
    o: () => table.sortByNext(),
    O: () => state.setSort(state.sort.key, !state.sort.isDescending),
    z: () => table.zoomTo(state.selectedExchange),
    c: () => {
      if (state.selectedExchange) copyCommand(state.selectedExchange);
    },
    x: () => {
      if (state.selected !== null) compareWith(state.selected);
    },
    d: () => saveListed(),
    t: () => toolbar.switchTheme(),
    '?': () => byId('help').showModal(),
  };
  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === 'f' && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      search.open();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const { target } = event;
    if (target === byId('filter')) {
      filterKey(event, table);
      return;
    }
    if (target === search.input) return;
    // A button does with Enter what it says; a text that scrolls keeps the keys that scroll it.
    if (event.key === 'Enter' && target.closest('button, a, summary')) return;
    if (/^(Arrow|Page|Home|End)/.test(event.key) && target.closest('.details, .summary, .search')) return;
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
    if (!action) return;
    event.preventDefault();
    action();
  });
}

async function copyCommand(exchange) {
  const command = curlCommand(exchange);
  if (command === null) {
    toolbar.say(`no curl command: ${visibleText(curlRefusal(exchange))}`);
    return;
  }
  const part = lacksRequestBody(exchange) ? '; its body is not all here' : '';
  toolbar.say((await copyText(command)) ? `curl command copied${part}` : 'not copied');
}

function filterKey(event, table) {
  if (event.key === 'Enter' || event.key === 'ArrowDown') {
    event.preventDefault();
    table.place.focus();
    if (state.selected === null || !state.listed.some(({ number }) => number === state.selected)) state.selectBy(1);
  } else if (event.key === 'Escape') {
    event.preventDefault();
    if (event.target.value) toolbar.setFilter('');
    else table.place.focus();
  }
}

function openSelected(details) {
  if (state.selected === null) state.selectBy(1);
  if (state.selected === null) return;
  state.select(state.selected, true);
  requestAnimationFrame(() => requestAnimationFrame(() => details.focus()));
}

/** Esc undoes what was done last: the details, then the span, then the critical path, then the types, then the filter. */
function stepBack(table) {
  if (state.view !== 'exchanges') state.show('exchanges');
  else if (state.isOpen) state.select(state.selected, false);
  else if (state.isZoomed) state.resetSpan();
  else if (state.isPathOnly) state.setPathOnly(false);
  else if (state.types.size) state.setTypes([]);
  else toolbar.setFilter('');
  table.place.focus();
}
