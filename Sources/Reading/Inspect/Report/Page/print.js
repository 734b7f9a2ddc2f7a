// On paper: the summary, then a plain table, since a list that scrolls shows only a screenful.

const printedRows = 1000;

function preparePrint() {
  const listed = state.listed.slice(0, printedRows);
  const columns = allColumns.filter(({ key }) =>
    ['number', 'start', 'method', 'status', 'host', 'path', 'responseSize', 'wait', 'total'].includes(key),
  );
  const keys = new Set(columns.map(({ key }) => key));
  const rest = state.listed.length - listed.length;
  byId('printed').replaceChildren(
    ...summaryContent(state.listed),
    element('h2', {}, 'Exchanges'),
    dataTable(
      columns.map(({ title, isFigure }) => ({ title, isFigure })),
      listed.map((exchange) => columns.map(({ text }) => visibleText(text(exchange, keys)))),
    ) ?? '',
    rest > 0 ? element('p', {}, `${countText(rest, 'exchange', 'exchanges')} more; a filter makes them fewer.`) : '',
  );
}

function followPrinting() {
  addEventListener('beforeprint', preparePrint);
  addEventListener('afterprint', () => byId('printed').replaceChildren());
}
