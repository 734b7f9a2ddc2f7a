import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What a page of another site gets of a recording, as a browser enforces it.
  @Suite struct LivePageForStrangers {
    /// Tries all ways that a page has to read from, or write to, another site. Each ends with what came of it.
    private static func attempts(at live: String) -> String {
      """
      (async () => {
        const outcome = {};
        const attempt = async (name, work) => {
          try { outcome[name] = await work(); } catch { outcome[name] = 'refused'; }
        };
        const loaded = (element, name, value) => new Promise((done) => {
          element.onload = () => done('loaded');
          element.onerror = () => done('refused');
          element[name] = value;
          document.body.append(element);
        });
        const make = (name) => document.createElement(name);
        for (const path of ['', '/events', '/exchange/1']) {
          await attempt(`read ${path}`, async () => (await fetch(`\(live)/live${path}`)).text());
          await attempt(`read ${path} without leave`, async () => (await (await fetch(`\(live)/live${path}`, { mode: 'no-cors' })).text()) || 'nothing');
        }
        await attempt('post', async () => (await fetch('\(live)/live/mark?harm', { method: 'POST' })).status);
        await attempt('post without leave', async () =>
          (await fetch('\(live)/live/mark?harm', { method: 'POST', mode: 'no-cors' })).status || 'nothing');
        await attempt('post with a token', async () =>
          (await fetch('\(live)/live/mark?harm', { method: 'POST', headers: { 'X-Tapeline-Token': '0'.repeat(32) } })).status);
        await attempt('script', () => loaded(make('script'), 'src', '\(live)/live'));
        await attempt('style', () => loaded(Object.assign(make('link'), { rel: 'stylesheet' }), 'href', '\(live)/live'));
        await attempt('picture', () => loaded(make('img'), 'src', '\(live)/live'));
        await attempt('frame', async () => {
          const frame = make('iframe');
          await loaded(frame, 'src', '\(live)/live');
          return frame.contentDocument?.title ?? 'refused';
        });
        await attempt('form', async () => {
          const frame = Object.assign(make('iframe'), { name: 'target' });
          const form = Object.assign(make('form'), { method: 'post', action: '\(live)/live/mark?harm', target: 'target' });
          document.body.append(frame, form);
          form.submit();
          await new Promise((done) => { frame.onload = done; });
          return frame.contentDocument?.body.textContent || 'refused';
        });
        const opened = (source) => new Promise((done) => {
          source.onopen = () => done('open');
          source.onerror = () => done('refused');
        });
        await attempt('events', () => opened(new EventSource('\(live)/live/events')));
        await attempt('panel', () => opened(new WebSocket('\(live.replacing("http:", with: "ws:"))/devtools')));
        return outcome;
      })()
      """
    }

    @Test(
      "RFC 6454, Fetch: a page of another site reads, marks and attaches nothing, under its name or under one that leads here")
    func browser() throws {
      let page = Array("<!DOCTYPE html><title>evil</title><p class=empty>nothing to see".utf8)
      let evil = try ScriptedOrigin([.forever([.answer { _ in .response(fields: ["Content-Type: text/html"], body: page) }])])
      let recording = try recording { proxy in
        let other = "http://evil.example:\(proxy.port)"
        let outcome = try ReportBrowser.open(
          "http://evil.example:\(evil.port)/",
          [
            .evaluate(Self.attempts(at: proxy.url)),
            // A name that leads to us: the browser takes both for one site.
            .evaluate("(location.href = '\(other)/live', true)"),
            .wait("location.port === '\(proxy.port)' && document.body?.textContent.trim().length > 0"),
            .evaluate("document.body.textContent"), .evaluate(Self.attempts(at: other)),
          ])
        guard case .object(let across) = outcome.results[0], case .object(let rebound) = outcome.results[3] else {
          Issue.record("\(outcome)")
          return
        }
        #expect(across.count == 16)
        for (name, result) in across {
          #expect(["refused", "nothing"].contains(result.string ?? ""), "\(name): \(result)")
        }
        let refusal = "tapeline: this proxy's own pages answer to its address, localhost or the machine's name only.\n"
        #expect(outcome.results[2].string == refusal)
        for (name, result) in rebound {
          let isNothing = ["refused", "nothing", "", refusal].contains(result.string ?? "\(result)")
          #expect(isNothing || result == .number(421), "\(name): \(result)")
        }
      }
      // What was refused is in the log.
      let visits = recording.entries.filter { $0.url.contains("/live") || $0.url.contains("/devtools") }
      #expect(visits.count > 10)
      #expect(visits.allSatisfy { [403, 421].contains($0.tree["_localStatus"]?.integer) }, "\(visits)")
      #expect(recording.log.tree["log"]?["pages"]?.elements.count == 1, "nothing was marked")
    }
  }
}
