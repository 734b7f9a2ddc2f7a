import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What a page of another site gets of a recording, as browsers enforce it.
  @Suite struct LivePageForStrangers {
    /// What of ours a page might like to read, and the body that it would have; the live page with a key that somebody guessed.
    private static let places = [
      "/", "/healthz", "/metrics", "/proxy.pac", "/ca.pem", "/live", "/live?key=0000000000000000", "/live/events",
      "/live/exchange/1", "/devtools", "/json/version", "/nothing",
    ]

    /// Tries the ways that a page has to read from, or write to, another site: some at each place, the others where they might
    /// matter. Each ends with what came of it. A way that a browser does not have, or keeps for pages that it trusts more, is
    /// refused.
    private static func attempts(at proxy: String) -> String {
      """
      (async () => {
        const outcome = {};
        const attempt = async (name, work) => {
          const patience = new Promise((done) => setTimeout(() => done('refused'), 3_000));
          try { outcome[name] = await Promise.race([work(), patience]); } catch { outcome[name] = 'refused'; }
        };
        const loaded = (element, name, value) => new Promise((done) => {
          element.onload = element.onloadeddata = () => done('loaded');
          element.onerror = () => done('refused');
          element[name] = value;
          document.body.append(element);
        });
        const make = (name, members = {}) => Object.assign(document.createElement(name), members);
        const opened = (source) => new Promise((done) => {
          source.onopen = () => done('open');
          source.onerror = () => done('refused');
        });
        const at = '\(proxy)';
        const live = at + '/live';
        for (const path of \(JSONText.array(places))) {
          await attempt(`read ${path}`, async () => (await fetch(at + path)).text());
          await attempt(`see ${path}`, async () => (await (await fetch(at + path, { mode: 'no-cors' })).text()) || 'nothing');
          await attempt(`frame ${path}`, async () => {
            const frame = make('iframe');
            await loaded(frame, 'src', at + path);
            return frame.contentDocument?.body?.textContent ?? 'refused';
          });
        }
        await attempt('read with credentials', async () => (await fetch(live, { credentials: 'include' })).text());
        await attempt('XMLHttpRequest', () => new Promise((done) => {
          const request = new XMLHttpRequest();
          request.onload = () => done(request.responseText);
          request.onerror = () => done('refused');
          request.open('GET', live);
          request.send();
        }));
        for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
          await attempt(method, async () => (await fetch(`${live}/mark?harm`, { method })).status);
        }
        await attempt('post without leave', async () =>
          (await fetch(`${live}/mark?harm`, { method: 'POST', mode: 'no-cors', body: 'harm' })).status || 'nothing');
        await attempt('post with a token', async () =>
          (await fetch(`${live}/mark?harm`, { method: 'POST', headers: { 'X-Tapeline-Token': '0'.repeat(32) } })).status);
        await attempt('beacon', async () => (navigator.sendBeacon(`${live}/mark?harm`, 'harm'), 'nothing'));
        await attempt('script', () => loaded(make('script'), 'src', live));
        await attempt('module', async () => JSON.stringify(await import(live)));
        await attempt('style', () => loaded(make('link', { rel: 'stylesheet' }), 'href', live));
        await attempt('picture', () => loaded(make('img'), 'src', live));
        await attempt('video', () => loaded(make('video'), 'src', live));
        await attempt('font', async () => (await new FontFace('f', `url(${live})`).load()).status);
        await attempt('object', async () => {
          const object = make('object');
          await loaded(object, 'data', live);
          return object.contentDocument?.body?.textContent ?? 'refused';
        });
        await attempt('embed', async () => {
          const embed = make('embed');
          await loaded(embed, 'src', live);
          return embed.getSVGDocument()?.body?.textContent ?? 'refused';
        });
        await attempt('worker', async () => {
          const worker = new Worker(live);
          return new Promise((done) => { worker.onmessage = () => done('runs'); worker.onerror = () => done('refused'); });
        });
        await attempt('shared worker', async () => {
          const worker = new SharedWorker(live);
          return new Promise((done) => { worker.port.onmessage = () => done('runs'); worker.onerror = () => done('refused'); });
        });
        await attempt('service worker', async () => (await navigator.serviceWorker.register(live)).scope);
        await attempt('window', async () => {
          const other = open(live);
          if (!other) return 'refused';
          await new Promise((done) => setTimeout(done, 500));
          return other.document.body.textContent;
        });
        await attempt('form', async () => {
          const frame = make('iframe', { name: 'target' });
          const form = make('form', { method: 'post', action: `${live}/mark?harm`, target: 'target' });
          document.body.append(frame, form);
          form.submit();
          await new Promise((done) => { frame.onload = done; });
          return frame.contentDocument?.body.textContent || 'refused';
        });
        await attempt('form as text', async () => {
          const frame = make('iframe', { name: 'text' });
          const form = make('form', { method: 'post', action: `${live}/mark`, target: 'text', enctype: 'text/plain' });
          document.body.append(frame, form);
          form.submit();
          await new Promise((done) => { frame.onload = done; });
          return frame.contentDocument?.body.textContent || 'refused';
        });
        await attempt('events', () => opened(new EventSource(`${live}/events`)));
        await attempt('events with credentials', () => opened(new EventSource(`${live}/events`, { withCredentials: true })));
        for (const path of ['/devtools', '/live', '/live/events', '/']) {
          await attempt(`socket ${path}`, () => opened(new WebSocket(at.replace('http:', 'ws:') + path)));
        }
        await attempt('socket with a protocol', () => opened(new WebSocket(at.replace('http:', 'ws:') + '/devtools', ['devtools'])));
        return outcome;
      })()
      """
    }

    private static let refusal = "tapeline: this proxy's own pages answer to its address, localhost or the machine's name only.\n"

    private static func expectNothing(_ outcome: JSONTree, isRebound: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
      guard case .object(let results) = outcome else {
        Issue.record("\(outcome)", sourceLocation: sourceLocation)
        return
      }
      #expect(results.count >= 60, sourceLocation: sourceLocation)
      for (name, result) in results {
        let isNothing =
          ["refused", "nothing", ""].contains(result.string ?? "\(result)") || isRebound && result.string == refusal
          || isRebound && result == .number(421)
        #expect(isNothing, "\(name): \(result)", sourceLocation: sourceLocation)
      }
    }

    /// A site, and a name of its that leads to us, which a browser takes for one site with our pages.
    private static func origin() throws -> ScriptedOrigin {
      let page = Array("<!DOCTYPE html><title>evil</title><p class=empty>nothing to see".utf8)
      return try ScriptedOrigin([.forever([.answer { _ in .response(fields: ["Content-Type: text/html"], body: page) }])])
    }

    private static func expectNothingDone(_ recording: Recording, sourceLocation: SourceLocation = #_sourceLocation) {
      // What was refused is in the log.
      let visits = recording.entries.filter { $0.url.contains("/live") || $0.url.contains("/devtools") }
      #expect(visits.count > 20, sourceLocation: sourceLocation)
      #expect(
        visits.allSatisfy { [403, 405, 421].contains($0.tree["_localStatus"]?.integer) }, "\(visits)",
        sourceLocation: sourceLocation)
      #expect(
        recording.log.tree["log"]?["pages"]?.elements.count == 1, "nothing was marked", sourceLocation: sourceLocation)
    }

    @Test(
      "RFC 6454, Fetch: a page of another site reads, frames, marks and attaches nothing, under its name or under one that leads here"
    )
    func browser() throws {
      let evil = try Self.origin()
      let recording = try recording { proxy in
        let other = "http://evil.example:\(proxy.port)"
        let outcome = try ReportBrowser.open(
          "http://evil.example:\(evil.port)/",
          [
            .evaluate(Self.attempts(at: proxy.url)),
            .evaluate("(location.href = '\(other)/live', true)"),
            .wait("location.port === '\(proxy.port)' && document.body?.textContent.trim().length > 0"),
            .evaluate("document.body.textContent"), .evaluate(Self.attempts(at: other)),
          ])
        Self.expectNothing(outcome.results[0], isRebound: false)
        #expect(outcome.results[2].string == Self.refusal)
        Self.expectNothing(outcome.results[3], isRebound: true)
      }
      Self.expectNothingDone(recording)
    }

    @Test("In Firefox, too")
    func firefox() throws {
      let evil = try Self.origin()
      let recording = try recording { proxy in
        for (page, target) in [
          ("http://evil.example:\(evil.port)/", proxy.url),
          ("http://evil.example:\(proxy.port)/live", "http://evil.example:\(proxy.port)"),
        ] {
          let firefox = try TestProcess(
            pythonInterpreter(), ["-B", "\(repositoryRoot)/Tests/Fixtures/report/firefox.py", page],
            input: Array(Self.attempts(at: target).utf8))
          try #require(try firefox.wait(seconds: 240).isSuccess, "\(firefox.errorText)")
          let outcome = try JSONTree(parsing: firefox.standardOutput)
          Self.expectNothing(try #require(outcome.elements.first), isRebound: target != proxy.url)
        }
      }
      Self.expectNothingDone(recording)
    }
  }
}
