// The query language of tapeline (docs/query.md): from text to a condition. `and` binds stronger than `or`, `not` strongest.

/** A sentence of what is wrong and one of what to write instead: those of the program. */
class QueryError extends Error {
  constructor(reason, remedy, offset) {
    super(`${reason}; ${remedy}`);
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
      const sign = text[offset];
      if (/["']/.test(sign)) throw new QueryError('the text that starts here has no end', `close it with ${sign}`, offset);
      const comparisons = 'the comparisons are ==, !=, <, <=, >, >=, ~ and !~';
      throw new QueryError(`unexpected ${sign}`, sign === '=' ? 'write == for equal' : comparisons, offset);
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

  fail(reason, remedy, token = this.token) {
    throw new QueryError(reason, remedy, token.offset);
  }

  /** @returns a function from an exchange to whether the query holds for it */
  parse() {
    const condition = this.alternatives();
    if (this.token.kind !== 'end') this.fail('expected the end of the query, and or or', 'join conditions with and or or');
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
      if (!this.take(')')) this.fail('expected )', 'close what ( opened');
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
      this.requireText(field);
      this.refuse(field, patternImpossibility);
      const pattern = globPattern(this.text());
      return (exchange) => someText(field.read(exchange), (text) => pattern.test(text));
    }
    if (this.take('in')) return this.list(field);
    if (this.take('not')) {
      if (!this.take('in')) this.fail('expected in', 'write not in (…), or not before the field');
      const inner = this.list(field);
      return (exchange) => !inner(exchange);
    }
    return (exchange) => holds(field.read(exchange));
  }

  field() {
    const token = this.token;
    if (token.kind !== 'word') this.fail('expected the name of a field', 'begin a condition with a field, like status >= 500');
    this.place += 1;
    let key;
    if (this.take('[')) {
      key = this.text();
      if (!this.take(']')) this.fail('expected ]', `write ${token.value}["${key}"]`);
    }
    const field = queryField(token.value, key);
    if (field) return field;
    if (key !== undefined) {
      const names = described.named.join(', ');
      this.fail(`${token.value} has no parts by name`, `those that have are ${names}`, token);
    }
    if (described.named.includes(token.value)) this.fail(`${token.value} needs a name`, `write ${token.value}["…"]`, token);
    return this.fail(`unknown field ${token.value}`, fieldRemedy(token.value), token);
  }

  /** A text; without quotes too when it is one word. */
  text() {
    const { kind, value } = this.token;
    if (kind !== 'text' && kind !== 'word' && kind !== 'quantity') this.fail('expected a text', 'put it in quotes');
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

  /** Refuses a text that the field can never be like. */
  refuse(field, impossible) {
    const { kind, value } = this.token;
    const problem = kind === 'text' || kind === 'word' ? impossible(field, value) : undefined;
    if (problem) this.fail(...problem);
  }

  /** Another field in place of a value: `content.size > resp.size`; nothing for a value. */
  otherField(field, sign) {
    const { kind, value } = this.token;
    const isField = kind === 'word' && (queryField(value) ?? queryField(value, '')) !== undefined;
    if (!isField) return undefined;
    const { token, place } = this;
    const other = this.field();
    const kinds = [field.kind, other.kind];
    const problem = fieldProblem(kinds, sign);
    if (problem && field.kind === 'text') {
      // A word like any other: `error.phase == dns`.
      this.place = place;
      return undefined;
    }
    if (problem) this.fail(problem, 'compare times with times, sizes with sizes, texts with texts', token);
    const isDate = kinds.every((one) => one === 'date');
    return (exchange) => compareValues(field.read(exchange), other.read(exchange), sign, isDate);
  }

  order(field, sign) {
    const comparison = this.otherField(field, sign);
    if (comparison) return comparison;
    const { kind, value } = this.token;
    if (field.kind === 'text') {
      this.fail('the field holds text', kind === 'word' ? `put it in quotes: "${value}"` : 'compare it with a text in quotes by ==, ~ or like');
    }
    if (field.kind === 'flag') this.fail('the field is true or false', 'write the field alone, or not before it');
    const isDate = field.kind === 'date';
    const wanted = isDate ? this.date() : this.number(field);
    const test = (found) => orders[sign](found, wanted);
    return isDate
      ? (exchange) => someText(field.read(exchange), (text) => test(Date.parse(text)))
      : (exchange) => someNumber(field.read(exchange), test);
  }

  date() {
    const { kind, value } = this.token;
    const time = kind === 'text' || kind === 'word' ? Date.parse(value) : NaN;
    if (Number.isNaN(time)) this.fail('expected a date', 'write it like "2026-11-21T09:30:00Z"');
    this.place += 1;
    return time;
  }

  pattern(field) {
    this.requireText(field);
    this.refuse(field, patternImpossibility);
    const token = this.token;
    const source = this.text();
    const isCaseless = source.startsWith('(?i)');
    let pattern;
    try {
      pattern = new RegExp(isCaseless ? source.slice(4) : source, isCaseless ? 'iu' : 'u');
    } catch (error) {
      const reason = String(error.message).split(': ').pop().toLowerCase();
      this.fail(`this is not a regular expression: ${reason}`, 'mend it, or compare with like or ==', token);
    }
    return (exchange) => someText(field.read(exchange), (text) => pattern.test(text));
  }

  equality(field) {
    const comparison = this.otherField(field, '==');
    if (comparison) return comparison;
    const { kind, value } = this.token;
    const holdsText = field.kind === 'text' || field.kind === 'date';
    if (kind === 'word' && (value === 'true' || value === 'false') && !holdsText) {
      if (field.kind !== 'flag' && field.kind !== 'any') {
        this.fail('the field is not true or false', 'compare it with a number or a text');
      }
      this.place += 1;
      return (exchange) => isSome(field.read(exchange), (found) => found === (value === 'true'));
    }
    // Where a text is compared, one word needs no quotes.
    const isPlainText = (kind === 'word' && (holdsText || field.kind === 'any')) || (kind === 'quantity' && field.kind === 'text');
    if (kind !== 'text' && !isPlainText) return this.order(field, '==');
    this.requireText(field);
    this.refuse(field, impossibility);
    const version = /^(req\.)?version$/.test(field.name) ? versionNumber(value) : undefined;
    if (version !== undefined) {
      this.place += 1;
      return (exchange) => someNumber(field.read(exchange), (found) => found === version);
    }
    const wanted = field.isLowercase ? this.text().toLowerCase() : this.text();
    const usual = usualSpelling(field.name, wanted);
    return (exchange) => someText(field.read(exchange), (text) => text === wanted || text === usual);
  }

  /** Fails for a field that no text can be compared with. */
  requireText(field) {
    if (!['text', 'date', 'any'].includes(field.kind)) {
      this.fail('the field holds no text', 'compare it with ==, <, <=, > or >=');
    }
  }

  list(field) {
    if (!this.take('(')) this.fail('expected (', 'write the values as (…, …)');
    const conditions = [this.equality(field)];
    while (this.take(',')) conditions.push(this.equality(field));
    if (!this.take(')')) this.fail('expected , or )', 'write the values as (…, …)');
    return (exchange) => conditions.some((condition) => condition(exchange));
  }

  number(field) {
    const token = this.token;
    if (token.kind !== 'quantity') {
      this.fail('expected a value', 'write a number like 200, 1.5s or 64KiB, or a text in quotes');
    }
    const [, digits, unit] = /^([-+]?[\d.]+)(.*)$/u.exec(token.value);
    if (Number.isNaN(Number(digits))) this.fail('this is not a number', 'write it like 200, 1.5s or 64KiB');
    if (!Object.hasOwn(queryUnits, unit)) {
      const units = Object.keys(queryUnits).filter(Boolean).join(', ');
      throw new QueryError(`unknown unit ${unit}`, `the units are ${units}`, token.offset + digits.length);
    }
    const [factor, dimension] = queryUnits[unit];
    if (dimension !== 'plain' && field.kind !== 'any' && field.kind !== dimension) {
      this.fail("this unit is not the field's", unitRemedies[field.kind]);
    }
    this.place += 1;
    return Number(digits) * factor;
  }
}

const unitRemedies = {
  plain: 'write a number without a unit',
  duration: 'write a time like 200ms or 1.5s',
  size: 'write a size like 512, 64KiB or 1MB',
};

/** The field that was meant, as it seems, or all of them. */
function fieldRemedy(name) {
  const names = [...Object.keys(described.fields), ...described.named.map((one) => `${one}["…"]`)];
  const near = nearestName(name, names);
  if (near) return `did you mean ${near}?`;
  return `the fields are ${names.join(', ')}, tls.…, tcp.…, http2.…, grpc.…, server.…, and others by their path in the log`;
}

/** The name that differs least, when it differs little: `Spelling` in Swift. */
function nearestName(name, names) {
  let best = { distance: Math.max(1, Math.floor([...name].length / 3)) + 1 };
  for (const candidate of names) {
    const distance = spellingDistance([...name], [...candidate.split('[')[0]]);
    if (distance < best.distance) best = { candidate, distance };
  }
  return best.candidate;
}

/** Letters to insert, remove, replace or swap with their neighbour. */
function spellingDistance(left, right) {
  let beforeLast = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i += 1) {
    const row = [i + 1];
    for (let j = 0; j < right.length; j += 1) {
      const replaced = last[j] + (left[i] === right[j] ? 0 : 1);
      row[j + 1] = Math.min(replaced, last[j + 1] + 1, row[j] + 1);
      if (i > 0 && j > 0 && left[i] === right[j - 1] && left[i - 1] === right[j]) {
        row[j + 1] = Math.min(row[j + 1], beforeLast[j - 1] + 1);
      }
    }
    [beforeLast, last] = [last, row];
  }
  return last[right.length];
}

function globPattern(text) {
  const source = text
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replace(/\*/g, '[^]*')
    .replace(/\?/g, '[^]');
  return new RegExp(`^${source}$`, 'u');
}

/** Why two fields cannot be compared; nothing if they can. */
function fieldProblem([left, right], sign) {
  if (left === 'any' || right === 'any') return undefined;
  const texts = ['text', 'date', 'flag'];
  if (left !== right) {
    return texts.includes(left) || texts.includes(right) ? 'the two fields hold different things' : 'the two fields have different units';
  }
  return sign !== '==' && (left === 'text' || left === 'flag') ? 'only numbers and dates have an order' : undefined;
}

const orders = {
  '==': (found, wanted) => found === wanted,
  '<': (found, wanted) => found < wanted,
  '<=': (found, wanted) => found <= wanted,
  '>': (found, wanted) => found > wanted,
  '>=': (found, wanted) => found >= wanted,
};

/** Numbers as numbers, also if they are texts; dates as instants. What is missing compares with nothing. */
function compareValues(found, other, sign, isDate) {
  const order = orders[sign];
  if (isDate) return someText(found, (text) => someText(other, (limit) => order(Date.parse(text), Date.parse(limit))));
  const numbers = [firstNumber(found), firstNumber(other)];
  if (numbers.every((number) => number !== undefined)) return order(...numbers);
  if (sign !== '==') return false;
  return isSome(found, (one) => one !== undefined && isSome(other, (another) => one === another));
}

function firstNumber(value) {
  for (const one of [value].flat(Infinity)) {
    const number = typeof one === 'string' && one.trim() ? Number(one) : one;
    if (typeof number === 'number' && !Number.isNaN(number)) return number;
  }
  return undefined;
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
