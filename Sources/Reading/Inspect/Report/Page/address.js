// The address of the page holds what is looked at, so that it can be given to others: `#n=12&q=wait+%3E+1s`.

function writeAddress() {
  const parts = new URLSearchParams();
  if (state.selected !== null) parts.set(state.isOpen ? 'n' : 'at', String(state.selected));
  if (state.filter) parts.set('q', state.filter);
  if (state.types.size) parts.set('type', [...state.types].join(','));
  if (state.isPathOnly) parts.set('path', '1');
  if (state.sort.key !== 'start' || state.sort.isDescending)
    parts.set('sort', `${state.sort.isDescending ? '-' : ''}${state.sort.key}`);
  if (state.view !== 'exchanges') parts.set('view', state.view);
  if (state.isOpen && state.tab !== 'headers') parts.set('tab', state.tab);
  const address = `#${parts}`;
  if (location.hash !== address && !(address === '#' && !location.hash)) history.replaceState(null, '', address);
}

function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const key = (parts.get('sort') ?? '').replace(/^-/, '');
  if (allColumns.some((column) => column.key === key)) state.sort = { key, isDescending: parts.get('sort').startsWith('-') };
  else state.sort = { key: 'start', isDescending: false };
  if (tabs.some((tab) => tab.key === parts.get('tab'))) state.tab = parts.get('tab');
  byId('filter').value = parts.get('q') ?? '';
  state.filter = parts.get('q') ?? '';
  const types = (parts.get('type') ?? '').split(',');
  state.types = new Set(capture.header.types.map(({ key }) => key).filter((key) => types.includes(key)));
  state.isPathOnly = parts.has('path') && critical.numbers.size > 0;
  state.list();
  const number = Number(parts.get('n') ?? parts.get('at'));
  state.select(capture.exchanges.some((exchange) => exchange.number === number) ? number : null, parts.has('n'));
  state.show(views.includes(parts.get('view')) ? parts.get('view') : 'exchanges');
}

function followAddress() {
  state.on('list selection view tab', oncePerFrame(writeAddress));
  addEventListener('hashchange', readAddress);
}
