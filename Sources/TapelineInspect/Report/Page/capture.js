// The capture, as the blocks of data in this page have it.

const phaseNames = ['client', 'blocked', 'dns', 'connect', 'ssl', 'send', 'wait', 'receive'];

const phaseTitles = {
  client: 'Client',
  blocked: 'Blocked',
  dns: 'DNS',
  connect: 'Connect',
  ssl: 'TLS',
  send: 'Send',
  wait: 'Wait',
  receive: 'Receive',
};

const phaseHints = {
  client: 'The client itself, before its TLS hello and before its request: not part of the time for sorting',
  blocked: 'Waiting for a connection to be chosen or begun',
  dns: 'Resolving the name',
  connect: 'Making the connection, without TLS',
  ssl: 'TLS handshake',
  send: 'Sending the request',
  wait: 'From the last byte sent to the first received: the server thinks',
  receive: 'From the first byte received to the last',
};

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
  /** The texts of blocks that were fetched, by their names. */
  blocks: new Map(),
  /** Whether the entry and the bodies of an exchange are here. If not, they are fetched, and shown when they come. */
  has: () => true,
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

class Exchange {
  /** @param row in the order of `ReportRow` in Swift */
  constructor(row) {
    const [number, start, page, method, url, version, status, mime, requestSize, responseSize, contentSize, time, ...rest] = row;
    this.number = number;
    /** Microseconds since 1970, `null` when the log has no date. */
    this.start = start;
    this.page = page || null;
    this.method = method;
    this.url = url;
    this.version = version || '';
    this.status = status;
    this.mime = mime ? mime.split(';')[0].trim().toLowerCase() : '';
    this.requestSize = requestSize;
    this.responseSize = responseSize;
    this.contentSize = contentSize;
    /** Milliseconds, −1 for what did not happen; `ssl` lies inside of `connect`, HAR has no `client`. */
    [this.client, this.blocked, this.dns, this.connect, this.ssl, this.send, this.wait, this.receive] = rest;
    /** How long it took, and how long without what the client took for itself: by that, exchanges are ranked. */
    this.time = Math.max(0, time);
    this.total = this.client > 0 ? Math.max(0, roundedToNanoseconds(time - this.client)) : this.time;
    const [ip, connection, failure, chunks, ended, kind, inFlight] = rest.slice(phaseNames.length);
    this.ip = ip || null;
    this.connection = connection || null;
    this.failure = failure ? { message: failure[0], origin: failure[1], kind: failure[2], phase: failure[3], option: failure[4] } : null;
    /** The phase in which the client ended it, which is no failure. */
    this.ended = ended || null;
    /** What it was for: a key of `capture.header.types`. */
    this.kind = capture.header.types[kind]?.key ?? 'other';
    /** Whether it had come to no end when the log was copied. */
    this.isInFlight = inFlight === 1;
    /** When pieces of the response came: microseconds from the start. */
    this.chunks = chunks;
    /** Milliseconds from the start of the capture; set when all are known. */
    this.offset = 0;
    this.readURL();
  }

  /** As `Authority` reads it in Swift: a URL that two readers could understand differently has no host. */
  readURL() {
    let parts =
      /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#\\[\]\0- \x7f]*@)?(\[[^\]/?#]*\]|[^:/?#@\\[\]\0- \x7f]*)(?::(\d{0,5}))?(?=[/?#]|$)([^?#]*)(\?[^#]*)?/i.exec(
        this.url,
      );
    if (parts && (Number(parts[3]) > 65535 || (parts[2][0] === '[' && !isAddress(parts[2].slice(1, -1))))) parts = null;
    this.scheme = parts ? parts[1].toLowerCase() : '';
    this.host = parts ? parts[2].replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/^\[|\]$/g, '') : '';
    const standard = { http: 80, ws: 80, https: 443, wss: 443 };
    this.port = parts?.[3] ? Number(parts[3]) : standard[this.scheme];
    this.path = parts ? parts[4] || '/' : this.url;
    this.search = parts ? parts[5] || '' : '';
  }

  get authority() {
    const isStandard = this.port === { http: 80, ws: 80, https: 443, wss: 443 }[this.scheme];
    return isStandard || this.port === undefined ? this.host : `${this.host}:${this.port}`;
  }

  get end() {
    return this.offset + this.time;
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
    const { origin, kind, phase, option } = this.failure;
    return [origin, kind, phase && `in ${phase}`, option && `(${option})`].filter(Boolean).join(' ');
  }

  get failureText() {
    if (!this.failure) return '';
    return this.failureFacts ? `${this.failureFacts}: ${this.failure.message}` : this.failure.message;
  }

  get endText() {
    return this.ended && !this.isFailed ? `ended by the client ${endMoments[this.ended] ?? `in phase ${this.ended}`}` : '';
  }

  /** `ERR` where no status came, `!` where one came before the failure, `END` where the client did not wait for one, `…` while it is in flight. */
  get outcome() {
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

  /** The phases that took time, one after the other, each instant in one of them: what of `connect` is TLS is `ssl`. */
  get segments() {
    const segments = [];
    let from = this.offset;
    const add = (phase, duration) => {
      if (!(duration > 0)) return;
      segments.push({ phase, from, to: from + duration });
      from += duration;
    };
    const ssl = Math.min(Math.max(0, this.ssl), Math.max(0, this.connect));
    add('client', this.client);
    add('blocked', this.blocked);
    add('dns', this.dns);
    add('connect', this.connect - ssl);
    add('ssl', ssl);
    add('send', this.send);
    add('wait', this.wait);
    add('receive', this.receive);
    return segments;
  }

  /** The phase in which most of the time went, the client's own part apart. */
  get longestPhase() {
    let longest = null;
    for (const segment of this.segments) {
      if (segment.phase === 'client') continue;
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
      for (const row of rows) this.exchanges.push(new Exchange(row));
    }
    this.measure();
  },

  /** Finds what follows from all exchanges and pages together. */
  measure() {
    this.start = this.exchanges.reduce((first, { start }) => (start !== null && start < first ? start : first), Infinity);
    if (this.start === Infinity) this.start = null;
    for (const exchange of this.exchanges) {
      exchange.offset = exchange.start === null ? 0 : (exchange.start - this.start) / 1000;
    }
    this.mainAuthority = countsOf(this.exchanges.map(({ authority }) => authority))[0]?.[0] ?? '';
    this.duration = this.exchanges.reduce((latest, exchange) => Math.max(latest, exchange.end), 0);
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
