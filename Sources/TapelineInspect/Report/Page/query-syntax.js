// The query language of tapeline (docs/query.md): from text to a condition. `and` binds stronger than `or`, `not` strongest.

class QueryError extends Error {
  constructor(message, offset) {
    super(message);
    this.offset = offset;
  }
}

const queryUnits = {
  '': [1, 'plain'],
  us: [0.001, 'duration'],
  µs: [0.001, 'duration'],
  ms: [1, 'duration'],
  s: [1e3, 'duration'],
  m: [6e4, 'duration'],
  h: [3.6e6, 'duration'],
  B: [1, 'size'],
  kB: [1e3, 'size'],
  MB: [1e6, 'size'],
  GB: [1e9, 'size'],
  KiB: [1024, 'size'],
  MiB: [1048576, 'size'],
  GiB: [1073741824, 'size'],
};

/** Takes a query apart into `{ kind, value, offset }`; the last token is of the kind `end`. */
function queryTokens(text) {
  const forms = [
    ['blank', /\s+/y],
    ['text', /"((?:\\[\s\S]|[^"\\])*)"|'((?:\\[\s\S]|[^'\\])*)'/y],
    ['comparison', /==|!=|<=|>=|!~|<|>|~/y],
    ['mark', /[()[\],]/y],
    ['quantity', /[-+]?\d[\d.]*\p{L}*(?![\p{L}\d_.*/-])/uy],
    ['word', /[^\s"'()[\],<>=!~]+/y],
  ];
  const tokens = [];
  let offset = 0;
  while (offset < text.length) {
    const found = forms
      .map(([kind, form]) => {
        form.lastIndex = offset;
        return { kind, match: form.exec(text) };
      })
      .find(({ match }) => match);
    if (!found) {
      const reason = /["']/.test(text[offset]) ? 'this text has no end' : `unexpected ${text[offset]}`;
      throw new QueryError(reason, offset);
    }
    const { kind, match } = found;
    if (kind === 'text') tokens.push({ kind, value: unquotedText(match[1] ?? match[2], match[0][0]), offset });
    else if (kind !== 'blank') tokens.push({ kind, value: match[0], offset });
    offset += match[0].length;
  }
  tokens.push({ kind: 'end', value: '', offset: text.length });
  return tokens;
}

/** A backslash takes the meaning from the quote only, so that patterns need no second escaping. */
function unquotedText(text, quote) {
  return text.replaceAll(`\\${quote}`, quote);
}

class QueryParser {
  constructor(text) {
    this.tokens = queryTokens(text);
    this.place = 0;
  }

  get token() {
    return this.tokens[this.place];
  }

  take(value) {
    const isThere = this.token.value === value && this.token.kind !== 'text';
    if (isThere) this.place += 1;
    return isThere;
  }

  fail(message, token = this.token) {
    throw new QueryError(message, token.offset);
  }

  /** @returns a function from an exchange to whether the query holds for it */
  parse() {
    const condition = this.alternatives();
    if (this.token.kind !== 'end') this.fail('expected the end, and or or');
    return condition;
  }

  alternatives() {
    let condition = this.conjunction();
    while (this.take('or')) {
      const [left, right] = [condition, this.conjunction()];
      condition = (exchange) => left(exchange) || right(exchange);
    }
    return condition;
  }

  conjunction() {
    let condition = this.negation();
    while (this.take('and')) {
      const [left, right] = [condition, this.negation()];
      condition = (exchange) => left(exchange) && right(exchange);
    }
    return condition;
  }

  negation() {
    if (this.take('not')) {
      const inner = this.negation();
      return (exchange) => !inner(exchange);
    }
    if (this.take('(')) {
      const inner = this.alternatives();
      if (!this.take(')')) this.fail('expected )');
      return inner;
    }
    return this.condition();
  }

  condition() {
    const field = this.field();
    const { kind, value } = this.token;
    if (kind === 'comparison') {
      this.place += 1;
      return this.comparison(field, value);
    }
    if (this.take('like')) {
      const pattern = globPattern(this.text());
      return (exchange) => someText(field.read(exchange), (text) => pattern.test(text));
    }
    if (this.take('in')) return this.list(field);
    if (kind === 'word' && value === 'not' && this.tokens[this.place + 1]?.value === 'in') {
      this.place += 2;
      const inner = this.list(field);
      return (exchange) => !inner(exchange);
    }
    return (exchange) => holds(field.read(exchange));
  }

  field() {
    const token = this.token;
    if (token.kind !== 'word') this.fail('expected the name of a field');
    this.place += 1;
    let key;
    if (this.take('[')) {
      key = this.text();
      if (!this.take(']')) this.fail('expected ]');
    }
    const field = queryField(token.value, key);
    if (!field) this.fail(key === undefined ? `unknown field ${token.value}` : `${token.value} has no parts by name`, token);
    return field;
  }

  /** A text; without quotes too when it is one word. */
  text() {
    const { kind, value } = this.token;
    if (kind !== 'text' && kind !== 'word' && kind !== 'quantity') this.fail('expected a text, in quotes');
    this.place += 1;
    return value;
  }

  comparison(field, sign) {
    switch (sign) {
      case '~':
        return this.pattern(field);
      case '!~': {
        const inner = this.pattern(field);
        return (exchange) => !inner(exchange);
      }
      case '==':
        return this.equality(field);
      case '!=': {
        const inner = this.equality(field);
        return (exchange) => !inner(exchange);
      }
      default:
        return this.order(field, sign);
    }
  }

  order(field, sign) {
    const isDate = field.kind === 'date';
    const wanted = isDate ? this.date() : this.number(field);
    const test = {
      '<': (found) => found < wanted,
      '<=': (found) => found <= wanted,
      '>': (found) => found > wanted,
      '>=': (found) => found >= wanted,
    }[sign];
    return isDate
      ? (exchange) => someText(field.read(exchange), (text) => test(Date.parse(text)))
      : (exchange) => someNumber(field.read(exchange), test);
  }

  date() {
    const token = this.token;
    const time = Date.parse(this.text());
    if (Number.isNaN(time)) this.fail('expected a date, like "2026-11-21T09:30:00Z"', token);
    return time;
  }

  pattern(field) {
    const token = this.token;
    const source = this.text();
    const isCaseless = source.startsWith('(?i)');
    let pattern;
    try {
      pattern = new RegExp(isCaseless ? source.slice(4) : source, isCaseless ? 'iu' : 'u');
    } catch {
      this.fail('this is no regular expression', token);
    }
    return (exchange) => someText(field.read(exchange), (text) => pattern.test(text));
  }

  equality(field) {
    const { kind, value } = this.token;
    if (kind === 'quantity' && field.kind !== 'text') {
      const number = this.number(field);
      return (exchange) => someNumber(field.read(exchange), (found) => found === number);
    }
    if (kind === 'word' && (value === 'true' || value === 'false') && field.kind !== 'text') {
      this.place += 1;
      return (exchange) => isSome(field.read(exchange), (found) => found === (value === 'true'));
    }
    const wanted = field.isLowercase ? this.text().toLowerCase() : this.text();
    return (exchange) => someText(field.read(exchange), (text) => text === wanted);
  }

  list(field) {
    if (!this.take('(')) this.fail('expected (');
    const conditions = [this.equality(field)];
    while (this.take(',')) conditions.push(this.equality(field));
    if (!this.take(')')) this.fail('expected , or )');
    return (exchange) => conditions.some((condition) => condition(exchange));
  }

  number(field) {
    const token = this.token;
    if (field.kind === 'text') this.fail('this field holds text: compare it with ==, ~ or like');
    const [, digits, unit] = /^([-+]?[\d.]+)(.*)$/u.exec(token.value) ?? [];
    const known = Object.hasOwn(queryUnits, unit ?? '-') ? queryUnits[unit] : undefined;
    if (token.kind !== 'quantity' || !known || Number.isNaN(Number(digits))) {
      this.fail('expected a number, like 200, 1.5s or 64KiB');
    }
    const [factor, dimension] = known;
    if (dimension !== 'plain' && field.kind !== 'any' && field.kind !== dimension) this.fail('this unit is not the field’s');
    this.place += 1;
    return Number(digits) * factor;
  }
}

function globPattern(text) {
  const source = text
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replace(/\*/g, '[^]*')
    .replace(/\?/g, '[^]');
  return new RegExp(`^${source}$`, 'u');
}

/** Whether the test holds for the value, or for one of several. */
function isSome(value, test) {
  return Array.isArray(value) ? value.some((one) => isSome(one, test)) : test(value);
}

function someText(value, test) {
  return isSome(value, (one) => typeof one === 'string' && test(one));
}

/** A text that says a number is one. */
function someNumber(value, test) {
  return isSome(
    value,
    (one) => (typeof one === 'number' || (typeof one === 'string' && /^[-+]?\d/.test(one))) && test(Number(one)),
  );
}

/** A field alone: it is there, and not false, 0 or empty. */
function holds(value) {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
