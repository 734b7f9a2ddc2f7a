// What is typed into the filter: a query, or words that the line of an exchange has to hold.

/** @returns `{ test }`, a condition on exchanges, or `{ failure }`, a sentence; an empty text has neither */
function compiledFilter(text) {
  const trimmed = text.trim();
  if (!trimmed) return {};
  try {
    return { test: new QueryParser(trimmed).parse() };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    if (looksLikeQuery(trimmed)) return { failure: `Column ${error.offset + 1}: ${error.message}` };
    return { test: wordFilter(trimmed) };
  }
}

/** Signs of the language: who writes them means a query. */
function looksLikeQuery(text) {
  return /[<>~]|==|!=|\s[=!]\s|\blike\s+["']|\bin\s+\(|^(not|\()\s|\s(and|or)\s/.test(text);
}

/** All of the words, in any case and anywhere in what the table says of an exchange. */
function wordFilter(text) {
  const words = text.toLowerCase().split(/\s+/);
  return (exchange) => {
    const line = [exchange.method, exchange.url, exchange.outcome, exchange.mime, exchange.ip ?? '', exchange.failureText, exchange.endText]
      .join(' ')
      .toLowerCase();
    return words.every((word) => line.includes(word));
  };
}

/** A text as the language writes it. */
function quotedText(text) {
  return text.includes('"') ? `'${text.replaceAll("'", "\\'")}'` : `"${text}"`;
}
