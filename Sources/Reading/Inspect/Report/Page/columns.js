// The columns of the table: `value` is what they are sorted by, `text` what is shown, given the keys of all columns that are.

const someSize = (size) => (size >= 0 ? size : undefined);

const plainColumns = [
  {
    key: 'number',
    title: '#',
    hint: 'Place in the file',
    width: '68px',
    isFigure: true,
    value: (x) => x.number,
    text: (x) => (x.isInFlight && feed.isLive ? '–' : String(x.number)),
  },
  {
    key: 'start',
    title: 'Start',
    hint: 'From the start of the capture',
    width: '84px',
    isFigure: true,
    value: (x) => x.offset,
    text: (x) => durationText(x.offset),
  },
  { key: 'method', title: 'Method', hint: 'Method of the request', width: '86px', value: (x) => x.method, text: (x) => x.method },
  {
    key: 'status',
    title: 'Status',
    hint: 'Status of the response; ~ if a rule has changed the exchange',
    width: '62px',
    value: (x) => x.status,
    text: (x) => (x.isInjected ? '~' : '') + x.outcome,
  },
  {
    key: 'host',
    title: 'Host',
    hint: 'Host and port',
    width: 'minmax(90px, 0.7fr)',
    value: (x) => x.host,
    text: (x) => x.authority,
  },
  {
    key: 'path',
    title: 'Path',
    hint: 'Path and query',
    width: 'minmax(120px, 1.5fr)',
    value: (x) => x.path + x.search,
    text: pathText,
  },
  {
    key: 'type',
    title: 'Type',
    hint: 'Media type of the response',
    width: '100px',
    value: (x) => x.type || undefined,
    text: (x) => x.type,
  },
  {
    key: 'version',
    title: 'Protocol',
    hint: 'Version of HTTP',
    width: '76px',
    value: (x) => versionName(x.version) || undefined,
    text: (x) => versionName(x.version),
  },
  {
    key: 'requestSize',
    title: 'Sent',
    hint: 'Body of the request, on the wire',
    width: '72px',
    isFigure: true,
    value: (x) => someSize(x.requestSize),
    text: (x) => byteText(x.requestSize),
  },
  {
    key: 'responseSize',
    title: 'Size',
    hint: 'Body of the response, on the wire',
    width: '72px',
    isFigure: true,
    value: (x) => someSize(x.responseSize),
    text: (x) => byteText(x.responseSize),
  },
  {
    key: 'contentSize',
    title: 'Content',
    hint: 'Body of the response, decoded',
    width: '72px',
    isFigure: true,
    value: (x) => someSize(x.contentSize),
    text: (x) => byteText(x.contentSize),
  },
  {
    key: 'total',
    title: 'Time',
    hint: 'From the request to the end of the response, without what the client and the proxy took',
    width: '76px',
    isFigure: true,
    value: (x) => x.total,
    text: (x) => durationText(x.total),
  },
];

const phaseColumns = phaseNames.map((phase) => ({
  key: phase,
  title: phaseTitles[phase],
  hint: phaseHints[phase],
  width: '76px',
  isFigure: true,
  value: (exchange) => known(exchange[phase]),
  text: (exchange) => durationText(exchange[phase]),
}));

const allColumns = [
  ...plainColumns,
  ...phaseColumns,
  {
    key: 'connection',
    title: 'Connection',
    hint: 'Which connection to the server',
    width: '84px',
    value: (x) => x.connection ?? undefined,
    text: (x) => x.connection ?? '–',
  },
  {
    key: 'ip',
    title: 'Address',
    hint: 'Address of the server',
    width: '120px',
    value: (x) => x.ip ?? undefined,
    text: (x) => x.ip ?? '–',
  },
  {
    key: 'page',
    title: 'Page',
    hint: 'Title of the page',
    width: '120px',
    value: (x) => x.page ?? undefined,
    text: (x) => capture.pages.get(x.page)?.title ?? x.page ?? '–',
  },
];

const usualColumns = ['number', 'method', 'status', 'host', 'path', 'type', 'responseSize', 'total'];

/** What goes first where there is no room for all of the usual ones. */
const dispensableColumns = ['type', 'responseSize', 'host', 'number', 'method'];

/** With fewer pixels, the waterfall has a line of its own in each row. */
const narrowRoom = 480;

/** Pixels beside the columns that the waterfall has at least. */
function leastWaterfall(room) {
  if (room < narrowRoom) return 0;
  return Math.min(220, Math.max(100, Math.round(room * 0.28)));
}

/** The least pixels of a column: `72px`, or those of `minmax(90px, 0.7fr)`. */
function leastWidth({ width }) {
  return Number(/\d+/.exec(width)[0]);
}

/** The columns that were chosen, else those of the usual ones that leave room for the waterfall in so many pixels. */
function shownColumns(room) {
  const shown = allColumns.filter(({ key }) => (state.columns ?? usualColumns).includes(key));
  if (state.columns) return shown;
  const dispensable = [...dispensableColumns];
  const needed = () => shown.reduce((sum, column) => sum + leastWidth(column), leastWaterfall(room));
  while (dispensable.length && needed() > room) {
    const key = dispensable.shift();
    shown.splice(shown.findIndex((column) => column.key === key), 1);
  }
  return shown;
}

/** With what columns that are not shown would have said: another method than GET, and another host than that of most. */
function pathText(exchange, keys) {
  const method = keys.has('method') || exchange.method === 'GET' ? '' : `${exchange.method} `;
  const host = keys.has('host') || exchange.authority === capture.mainAuthority ? '' : exchange.authority;
  if (exchange.isTunnel) return method + (host || exchange.path);
  const operation = exchange.operation && !exchange.path.endsWith(exchange.operation) && ` ${exchange.operation}`;
  return method + exchange.path + exchange.search + (operation || '') + (host && ` · ${host}`);
}
