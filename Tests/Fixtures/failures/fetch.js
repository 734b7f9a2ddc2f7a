// Asks for each URL by fetch, and prints a line for each: its name, and the status or the code of the error.
(async () => {
  for (const pair of process.argv.slice(2)) {
    const at = pair.indexOf('=');
    const [name, url] = [pair.slice(0, at), pair.slice(at + 1)];
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(20000) });
      await answer.arrayBuffer();
      console.log(name, answer.status);
    } catch (error) {
      // Which of the two it is depends on what undici reads first.
      const code = (error.cause?.code ?? '').replace(/^(UND_ERR_SOCKET|ECONNRESET)$/, 'closed or reset');
      console.log(name, error.name, code);
    }
  }
})();
