// The capture, as the blocks of data in this page have it.

const phaseNames = described.phases.map(({ name }) => name);
const phaseTitles = Object.fromEntries(described.phases.map(({ name, title }) => [name, title]));
const phaseHints = Object.fromEntries(described.phases.map(({ name, hint }) => [name, hint]));
/** Phases that are not of the total: nobody ranks servers by the time of the client or of the proxy. */
const phasesApart = described.phases.filter(({ isOfTotal }) => !isOfTotal).map(({ name }) => name);

/** When the client ended an exchange: the words of `RecordedEnd` in Swift. */
const endMoments = {
  request: 'while it was sending the request',
  dns: "while the host's name was looked up",
  connect: 'while a connection was opened',
  tls: 'while TLS was set up',
  send: 'while the request was sent on',
  wait: 'while waiting',
  receive: 'while receiving',
};

/** A sum or difference of figures with three decimals has no more than they have. */
function roundedToNanoseconds(milliseconds) {
  return Math.round(milliseconds * 1e6) / 1e6;
}

/**
 * Where the parts of exchanges come from that are not in this page. A report has all of its own; the live page puts its own
 * functions here.
 */
const feed = {
  isLive: false,
  /** Exchanges that were shown and are no more. */
  leftOut: 0,
  /** The texts of blocks that were fetched, by their names. */
  blocks: new Map(),
  /** Whether the entry and the bodies of an exchange are here. If not, they are fetched, and shown when they come. */
  has: () => true,
  /** The entry and the bodies of an exchange, by the names of their blocks; `null` where they cannot be had any more. */
  async parts({ number }) {
    return Object.fromEntries(['entry', 'request', 'response'].map((name) => [name, dataBlock(`${name}-${number}`)]));
  },
  /** The rules of the recording, and what has become of them. */
  async rules() {
    return [];
  },
  begin() {},
};

/** The text of the block of data of that name; `null` when there is no such block. */
function blockText(id) {
  return feed.blocks.get(id) ?? byId(id)?.textContent ?? null;
}

/** The value in the block of data of that name; `null` when there is no such block. */
function dataBlock(id) {
  const text = blockText(id);
  return text === null ? null : JSON.parse(text);
}

/** Whether what stands between brackets is an IPv6 address, perhaps with a zone. */
function isAddress(text) {
  try {
    return new URL(`http://[${text.replace(/%.+$/, '')}]/`).hostname !== '';
  } catch {
    return false;
  }
}

/** Members of a row, in the order of `ReportRow` in Swift. Times are in milliseconds, −1 for what did not happen. */
const rowMembers = [
  'number',
  /** Microseconds since 1970, `null` when the log has no date. */
  'start',
  'page',
  'method',
  'url',
  'version',
  'status',
  'mime',
  'requestSize',
  'responseSize',
  'contentSize',
  /** How long it took, with what the client and the proxy took for themselves. */
  'time',
  /** `ssl` lies inside of `connect`; HAR has neither `client` nor `proxy`. */
  ...phaseNames,
  'ip',
  'connection',
  'failure',
  /** When pieces of the response came: microseconds from the start. */
  'chunks',
  /** The phase in which the client ended it, which is no failure. */
  'ended',
  /** What it was for: a key of `capture.header.types`. */
  'kind',
  /** What the request asks for, where one URL stands for much: `query Products`. */
  'operation',
  /** What is known of a call of a language model, by the names of its fields of queries; 0 for other exchanges. */
  'llm',
  /** Of an event stream: how many events, the figures of `event.…`; 0 for others, and where they are not known. */
  'stream',
  /** 1: in flight when the log was copied; 2: changed by a rule of the user's. */
  'flags',
];
const placeOfMember = Object.fromEntries(rowMembers.map((name, place) => [name, place]));

/** What is a number in each row, and what many rows have in common. */
const numberMembers = ['number', 'start', 'status', 'requestSize', 'responseSize', 'contentSize', 'time', ...phaseNames];
const traitMembers = ['page', 'method', 'url', 'version', 'mime', 'ip', 'ended', 'kind'];
const placesOfNumbers = numberMembers.map((name) => placeOfMember[name]);
const placesOfTraits = traitMembers.map((name) => placeOfMember[name]);
const placeOfStart = numberMembers.indexOf('start');
const placeOfTime = numberMembers.indexOf('time');
const placeOfPhases = numberMembers.indexOf(phaseNames[0]);
const nothingStreamed = [];

/** What many exchanges have in common is there once. */
const servers = new Map();
const mediaTypes = new Map();
const texts = new Map();
const traits = new Map();

function onceFor(known, text, make) {
  let value = known.get(text);
  if (value === undefined) {
    value = make(text);
    // A capture may have as many of them as exchanges.
    if (known.size >= 10_000) known.clear();
    known.set(text, value);
  }
  return value;
}

/** The server in the beginning of a URL, as `Authority` reads it in Swift: what two readers could understand differently has no host. */
function serverOf(beginning) {
  let parts =
    /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#\\[\]\0- \x7f]*@)?(\[[^\]/?#]*\]|[^:/?#@\\[\]\0- \x7f]*)(?::(\d{0,5}))?$/i.exec(beginning);
  if (parts && (Number(parts[3]) > 65535 || (parts[2][0] === '[' && !isAddress(parts[2].slice(1, -1))))) parts = null;
  const scheme = parts ? parts[1].toLowerCase() : '';
  const host = parts ? parts[2].replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/^\[|\]$/g, '') : '';
  const standard = { http: 80, ws: 80, https: 443, wss: 443 }[scheme];
  const port = parts?.[3] ? Number(parts[3]) : standard;
  const authority = port === standard || port === undefined ? host : `${host}:${port}`;
  return { scheme, host, port, authority, length: parts ? beginning.length : -1 };
}

function serverIn(url) {
  return onceFor(servers, /^[^/?#]*(?:\/\/[^/?#]*)?/.exec(url)[0], serverOf);
}

/** The text, of which there is one for all that have it; `nothing` for none. */
function sharedText(text, nothing) {
  return text ? onceFor(texts, text, String) : nothing;
}

/** What an exchange is like: most are like many others. */
class Traits {
  constructor(row) {
    const { page, method, url, version, mime, ip, ended, kind } = placeOfMember;
    this.page = sharedText(row[page], null);
    this.method = sharedText(row[method], row[method]);
    this.url = row[url];
    this.version = sharedText(row[version], '');
    this.mime = row[mime] ? onceFor(mediaTypes, row[mime], (text) => text.split(';')[0].trim().toLowerCase()) : '';
    this.ip = sharedText(row[ip], null);
    this.ended = row[ended] || null;
    this.kind = capture.header.types[row[kind]]?.key ?? 'other';
    this.server = serverIn(this.url);
    const query = this.url.search(/[?#]/);
    /** Where the path of the URL ends. */
    this.pathEnd = query < 0 ? this.url.length : query;
  }
}

/** The exchanges of rows. There may be very many: as members of objects, their numbers would take several times the memory. */
function exchangesOf(rows) {
  const numbers = new Float64Array(rows.length * numberMembers.length);
  return rows.map((row, index) => new Exchange(row, numbers, index * numberMembers.length));
}

class Exchange {
  /** @param place from where on the exchange has its own in `numbers` */
  constructor(row, numbers, place) {
    const { connection, failure, chunks, operation, llm, stream, flags } = placeOfMember;
    this.numbers = numbers;
    this.place = place;
    // What is not known is not a number there.
    placesOfNumbers.forEach((member, index) => { numbers[place + index] = row[member] ?? NaN; });
    numbers[place + placeOfTime] = Math.max(0, numbers[place + placeOfTime]);
    this.traits = onceFor(traits, JSON.stringify(placesOfTraits.map((member) => row[member])), () => new Traits(row));
    this.connection = sharedText(row[connection], null);
    this.operation = sharedText(row[operation], '');
    this.llm = row[llm] || null;
    this.stream = row[stream] || null;
    this.failure = null;
    if (row[failure]) {
      const [message, origin, kind, phase, option, operation, callStatus] = row[failure];
      this.failure = { message, origin, kind, phase, option, operation, callStatus };
    }
    this.chunks = row[chunks].length ? row[chunks] : nothingStreamed;
    /** Whether it had come to no end when the log was copied. */
    this.isInFlight = (row[flags] & 1) !== 0;
    this.isInjected = (row[flags] & 2) !== 0;
  }

  /** Microseconds since 1970, `null` when the log has no date. */
  get start() {
    const start = this.numbers[this.place + placeOfStart];
    return Number.isNaN(start) ? null : start;
  }

  /** What client and proxy took for themselves; 0 when the log does not say. */
  get apart() {
    return Math.max(0, this.client) + Math.max(0, this.proxy);
  }

  /** How long it took without what client and proxy took for themselves: by that, exchanges are ranked. −1 when the log does not say. */
  get total() {
    return this.apart > 0 ? Math.max(0, roundedToNanoseconds(this.time - this.apart)) : this.time;
  }

  /** Milliseconds from the start of the capture. */
  get offset() {
    return this.start === null ? 0 : (this.start - capture.start) / 1000;
  }

  get scheme() {
    return this.traits.server.scheme;
  }

  get host() {
    return this.traits.server.host;
  }

  get port() {
    return this.traits.server.port;
  }

  get path() {
    const { url, server, pathEnd } = this.traits;
    return server.length < 0 ? url : url.slice(server.length, pathEnd) || '/';
  }

  get search() {
    const { url, server, pathEnd } = this.traits;
    return server.length < 0 || url[pathEnd] !== '?' ? '' : url.slice(pathEnd).split('#', 1)[0];
  }

  get authority() {
    return this.traits.server.authority;
  }

  /** Scheme, host and port, without the default port. */
  get origin() {
    const { scheme, host, authority } = this.traits.server;
    return host && `${scheme}://${host.includes(':') ? authority.replace(host, `[${host}]`) : authority}`;
  }

  get end() {
    return this.offset + Math.max(0, this.time);
  }

  /** A tunnel lives as long as its client likes: its time says nothing of how fast anything was. */
  get isTunnel() {
    return this.method === 'CONNECT' && this.kind !== 'websocket';
  }

  get isReused() {
    return this.connect < 0 && this.status !== 0;
  }

  get isFailed() {
    return this.failure !== null;
  }

  /** What is the same for all failures of a sort; empty for logs that say none of it. */
  get failureFacts() {
    if (!this.failure) return '';
    const { origin, kind, phase, option, operation } = this.failure;
    if (operation) return operation;
    return [origin, kind, phase && `in ${phase}`, option && `(${option})`].filter(Boolean).join(' ');
  }

  get failureText() {
    if (!this.failure) return '';
    return [this.failureFacts, this.failure.message].filter(Boolean).join(': ');
  }

  get endText() {
    return this.ended && !this.isFailed ? `ended by the client ${endMoments[this.ended] ?? `in phase ${this.ended}`}` : '';
  }

  /** Whether a whole response came, so that its times are those of an answer. `ExchangeCourse` in Swift. */
  get isAnswered() {
    const isBroken = this.isFailed && !this.failure.operation;
    return !this.isTunnel && !this.hasSwitched && !this.isInFlight && !isBroken && !this.ended;
  }

  /** Whether it went on as a WebSocket or in another protocol. */
  get hasSwitched() {
    return this.status === 101 || (this.method === 'CONNECT' && this.kind === 'websocket');
  }

  /**
   * `ERR` where no status came, `!` where one came and the exchange failed, `/8` where that was a gRPC call with this status, `END`
   * where the client did not wait for one, `…` while it is in flight. `ExchangeOutcome` in Swift.
   */
  get outcome() {
    if (this.failure?.callStatus) return `${this.status}/${this.failure.callStatus}`;
    if (this.isInFlight && !this.isFailed) return this.status === 0 ? '…' : `${this.status}…`;
    if (this.status === 0) return this.isFailed ? 'ERR' : this.ended ? 'END' : '–';
    return this.isFailed ? `${this.status}!` : String(this.status);
  }

  /** What a chip says of the media type. */
  get type() {
    if (this.isTunnel) return 'tunnel';
    if (this.status === 101 || this.kind === 'websocket') return 'websocket';
    const subtype = this.mime.split('/')[1] || '';
    return this.mime === 'x-unknown'
      ? ''
      : subtype
          .replace(/^(x-|vnd\.)/, '')
          .split('+')
          .pop() || this.mime;
  }

  /**
   * Calls `visit` with the place of each phase that took time in `phaseNames`, and with its beginning and end. Each instant is in one
   * phase: what of `connect` is TLS is `ssl`.
   */
  eachPhase(visit) {
    const ssl = Math.min(Math.max(0, this.ssl), Math.max(0, this.connect));
    let from = this.offset;
    for (let phase = 0; phase < phaseNames.length; phase += 1) {
      let duration = this.numbers[this.place + placeOfPhases + phase];
      if (phaseNames[phase] === 'connect') duration -= ssl;
      else if (phaseNames[phase] === 'ssl') duration = ssl;
      if (!(duration > 0)) continue;
      visit(phase, from, from + duration);
      from += duration;
    }
  }

  /** The phases that took time, one after the other. */
  get segments() {
    const segments = [];
    this.eachPhase((phase, from, to) => segments.push({ phase: phaseNames[phase], from, to }));
    return segments;
  }

  /** The phase in which most of the time went, what client and proxy took for themselves apart. */
  get longestPhase() {
    let longest = null;
    for (const segment of this.segments) {
      if (phasesApart.includes(segment.phase)) continue;
      if (!longest || segment.to - segment.from > longest.to - longest.from) longest = segment;
    }
    return longest?.phase ?? '';
  }

  /** The entry, in the shape of HAR and without its bodies. */
  get entry() {
    return capture.entry(this.number);
  }

  /** @returns `{ text, leftOut, isBase64, mime }`; `null` when the log has no body there. */
  body(side) {
    const block = dataBlock(`${side}-${this.number}`);
    if (!block) return null;
    const { request, response } = this.entry;
    const holder = side === 'request' ? request.postData : response.content;
    const encoding = side === 'request' ? holder?._encoding : holder?.encoding;
    return {
      text: block.text ?? '',
      leftOut: block.leftOut,
      isBase64: String(encoding ?? '').toLowerCase() === 'base64',
      mime: String(holder?.mimeType ?? ''),
    };
  }

  get hasEvents() {
    return blockText(`events-${this.number}`) !== null;
  }

  /** Of an event stream: arrays of milliseconds from the start (or `null`), id, name and data. */
  get events() {
    return dataBlock(`events-${this.number}`) ?? [];
  }

  /** The text that the events of a model's answer make together; empty for others. */
  get answer() {
    return dataBlock(`answer-${this.number}`) ?? '';
  }

  /** The entry with its bodies where they belong, as far as the report has them. */
  get wholeEntry() {
    const entry = dataBlock(`entry-${this.number}`);
    const request = this.body('request');
    const response = this.body('response');
    if (request) entry.request.postData.text = request.text;
    if (response) entry.response.content.text = response.text;
    return entry;
  }
}

for (const [index, name] of numberMembers.entries()) {
  if (index === placeOfStart) continue;
  Object.defineProperty(Exchange.prototype, name, {
    get() {
      return this.numbers[this.place + index];
    },
  });
}
for (const name of traitMembers) {
  Object.defineProperty(Exchange.prototype, name, {
    get() {
      return this.traits[name];
    },
  });
}

const capture = {
  header: dataBlock('capture'),
  outcome: dataBlock('outcome'),
  exchanges: [],
  pages: new Map(),
  /** The latest entries that were asked for. */
  entries: new Map(),
  /** Whether an entry was asked for that is not here. */
  lacksEntries: false,

  load() {
    for (let index = 1, rows = dataBlock('rows-1'); rows !== null; index += 1, rows = dataBlock(`rows-${index}`)) {
      for (const exchange of exchangesOf(rows)) this.exchanges.push(exchange);
    }
    this.measure();
  },

  /** Finds what follows from all exchanges and pages together. */
  measure() {
    Object.assign(this, { start: null, duration: 0, counts: new Map() });
    this.include(this.exchanges);
  },

  /** Finds it again when there are more; those in flight are not counted. */
  include(exchanges, inFlight = []) {
    for (const list of [exchanges, inFlight]) for (const { start } of list) this.startAt(start);
    for (const list of [exchanges, inFlight]) for (const { end } of list) this.duration = Math.max(this.duration, end);
    for (const { authority } of exchanges) this.counts.set(authority, (this.counts.get(authority) ?? 0) + 1);
    [[this.mainAuthority] = [inFlight[0]?.authority ?? '']] = [...this.counts].sort((left, right) => right[1] - left[1]);
    this.measurePages();
  },

  startAt(start) {
    if (start === null || (this.start !== null && start >= this.start)) return;
    if (this.start !== null) this.duration += (this.start - start) / 1000;
    this.start = start;
  },

  measurePages() {
    this.pages.clear();
    this.header.pages.forEach((page, order) => {
      const offset = page.start === undefined || this.start === null ? 0 : (page.start - this.start) / 1000;
      this.pages.set(page.id, { ...page, order, offset });
    });
  },

  entry(number) {
    let entry = this.entries.get(number);
    if (!entry) {
      const recorded = dataBlock(`entry-${number}`);
      if (!recorded) {
        this.lacksEntries = true;
        return shapedEntry({});
      }
      entry = shapedEntry(recorded);
      if (this.entries.size >= 32) this.entries.delete(this.entries.keys().next().value);
      this.entries.set(number, entry);
    }
    return entry;
  },
};
