// The columns of the table: `value` is what they are sorted by, `text` what is shown.

const someSize = (size) => (size >= 0 ? size : undefined);

const plainColumns = [
  {
    key: 'number',
    title: '#',
    hint: 'Place in the file',
    width: '62px',
    isFigure: true,
    value: (x) => x.number,
    text: (x) => String(x.number),
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
  { key: 'method', title: 'Method', hint: 'Method of the request', width: '72px', value: (x) => x.method, text: (x) => x.method },
  {
    key: 'status',
    title: 'Status',
    hint: 'Status of the response',
    width: '68px',
    value: (x) => x.status,
    text: (x) => x.outcome,
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
    width: 'minmax(140px, 1.5fr)',
    value: (x) => x.path + x.search,
    text: (x) => x.path + x.search,
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
    value: (x) => x.version || undefined,
    text: (x) => x.version,
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
    hint: 'From the request to the end of the response, without what the client took for itself',
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

/** Beside open details there is room for these only. */
const narrowColumns = new Set(['number', 'method', 'status', 'path', 'total']);

function shownColumns() {
  const chosen = allColumns.filter(({ key }) => (state.columns ?? usualColumns).includes(key));
  return state.isOpen && !state.columns ? chosen.filter(({ key }) => narrowColumns.has(key)) : chosen;
}
