import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The live page and the report are one page: what somebody watched is what the report of the capture shows.
  @Suite struct LiveLikeness {
    /// Everything that the page shows: chips, rows with all columns, waterfall, overview, summary, and each tab of each exchange.
    /// What only a report knows, the critical path, is left out.
    private static let everything = """
      (async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
        const press = (key) => document.querySelector('#table').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        const until = async (holds, what) => {
          const patience = performance.now() + 60_000;
          while (!holds()) {
            await frame();
            if (performance.now() > patience) throw new Error(`it did not come to hold: ${what}`);
          }
        };
        document.querySelector('#open-columns').click();
        for (const box of document.querySelectorAll('#columns input:not(:checked)')) box.click();
        document.querySelector('#columns').close();
        const total = parseInt(document.querySelector('#count').textContent, 10);
        const typed = () => [...document.querySelectorAll('#shortcuts [data-type]')].reduce((sum, { title }) => sum + parseInt(title, 10), 0);
        await until(() => typed() === total, 'chips');
        await frame();
        const parts = {};
        parts.count = document.querySelector('#count').textContent;
        parts.chips = [...document.querySelectorAll('#shortcuts button')].map(({ textContent, title }) => `${textContent}: ${title}`);
        parts.legend = document.querySelector('.legend').textContent;
        parts.overview = document.querySelector('.overview canvas').toDataURL();
        parts.headings = [...document.querySelectorAll('.heading button')].map(({ textContent, title }) => `${textContent}: ${title}`);
        const rows = [...document.querySelectorAll('.row:not([hidden])')]
          .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'));
        rows.forEach((row, index) => {
          parts[`row ${index}`] = [row.dataset.outcome, ...[...row.querySelectorAll('.cell')].map(({ textContent }) => textContent)];
          const canvas = row.querySelector('canvas');
          const { data } = canvas.getContext('2d').getImageData(0, canvas.height / 2, canvas.width, 1);
          parts[`bar ${index}`] = [...new Uint32Array(data.buffer)];
        });
        press('s');
        await frame();
        parts.summary = document.querySelector('#summary').innerHTML;
        press('s');
        press('Home');
        press('Enter');
        let last;
        for (let index = 0; index < rows.length; index += 1) {
          const number = () => document.querySelector('.details-actions .quiet')?.textContent;
          await until(() => number() !== undefined && number() !== last, `details of row ${index}`);
          last = number();
          for (const { id } of [...document.querySelectorAll('.details [role=tab]')]) {
            document.getElementById(id).click();
            await frame();
            for (const line of document.querySelectorAll('#panel .message')) line.click();
            const copy = document.querySelector('#details').cloneNode(true);
            for (const title of copy.querySelectorAll('h2')) {
              if (title.textContent === 'Critical path') title.closest('details').remove();
            }
            parts[`${index} ${id}`] = copy.innerHTML;
          }
          press('j');
        }
        return parts;
      })()
      """

    /// The colour of the line of the critical path, as `colors.css` has it, in the order of a canvas.
    private static let criticalColor = Double(0xFF54_0EC9 as UInt32)

    /// Where they differ.
    private static func differences(_ live: JSONTree, _ report: JSONTree) -> [String] {
      guard case .object(let live) = live, case .object(let report) = report else { return ["nothing was collected"] }
      return Set(live.keys).union(report.keys).sorted().filter { key in
        let (left, right) = (live[key], report[key])
        guard key.hasPrefix("bar "), let left, let right else { return left != right }
        return left.elements.count != right.elements.count
          || zip(left.elements, right.elements).contains { $0 != $1 && $1.number != criticalColor }
      }
    }

    private static func origin() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([
          .answer { request in
            let path = request.startLine.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let (type, body): (String, String) =
              switch path {
              case "/page":
                (
                  "text/html",
                  "<!DOCTYPE html><title>Page</title><link rel=icon href=data:,><link rel=stylesheet href=/style><img src=/picture>"
                    + "<p id=p><script>fetch('/data').then(r => r.json()).then(d => document.getElementById('p').textContent = d.text)</script>"
                )
              case "/style": ("text/css", "p { color: green }")
              case "/picture": ("image/svg+xml", #"<svg xmlns="http://www.w3.org/2000/svg"/>"#)
              case "/data": ("application/json", #"{"text": "all is there", "list": [1, 2, {"a": null}]}"#)
              case "/events": ("text/event-stream", "id: 1\nevent: tick\ndata: one\n\ndata: two\n\ndata: three\n\n")
              case "/missing": ("text/html", "<b>no</b>")
              default: ("text/plain", "hello")
              }
            let status = path == "/missing" ? "404 Not Found" : "200 OK"
            return .response(status, fields: ["Content-Type: \(type)"], body: Array(body.utf8))
          }
        ])
      ])
    }

    @Test("A page, a WebSocket, events, gRPC calls, failures and 100 MB, watched live, look as in the report, element by element")
    func session() throws {
      let origin = try Self.origin()
      let files = try NginxServer()
      try files.serve([UInt8](repeating: 0x61, count: 100 << 20), as: "large.bin")
      let echo = try WebSocketPeers.startEchoServer(identity: nil)
      let calls = try TestProcess(
        pythonInterpreter(), ["-m", "lab.http2.calls", "serve"], environment: ["PYTHONPATH": "\(repositoryRoot)/scripts"])
      let callsPort = try calls.waitForOutputLine(containing: "port ", seconds: 60).dropFirst("port ".count)
      let directory = try TemporaryDirectory()
      let options = ["--intercept", "--ca-dir", directory.path("authority"), "--max-body", "64KiB"]
      let isComplete = """
        [...document.querySelectorAll('.row:not([hidden])')].some((row) => row.querySelector('.cell-path')?.textContent === '/last')
          && ![...document.querySelectorAll('.cell-status')].some(({ textContent }) => textContent.includes('…'))
        """
      var live: JSONTree?
      let recording = try recording(options) { proxy in
        let watching = try ReportBrowser.start(
          proxy.liveURL,
          [
            .resize(1_440, 2_400), .touch(directory.path("open")), .wait(isComplete), .press(["0"]), .evaluate(Self.everything),
          ])
        try waitForFile(directory.path("open"))
        try proxy.run(
          "chromium",
          [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
            "--user-data-dir=\(directory.path("profile"))", "--proxy-server=\(proxy.url)", "--proxy-bypass-list=<-loopback>",
            "--virtual-time-budget=5000", "--dump-dom", origin.url("/page"),
          ], environment: ["HOME": directory.path], seconds: 120)
        let socket = WebSocketPeers.client(["ws://127.0.0.1:\(echo.port)/talk", "tunnel", "\(proxy.port)", "", ""])
        try proxy.run(socket[0], Array(socket.dropFirst()))
        try proxy.run(
          pythonInterpreter(), ["-m", "lab.http2.calls", "ask", "localhost:\(callsPort)"],
          environment: ["PYTHONPATH": "\(repositoryRoot)/scripts"], seconds: 120)
        let curl = try proxy.curl([
          "-o", "/dev/null", origin.url("/events"), "-o", "/dev/null", origin.url("/missing"), "-o", "/dev/null",
          files.url("/large.bin"), "--next", "-sS", "--proxy", proxy.url, "--noproxy", "", "-d", "a=1&b=<2>", "-o", "/dev/null",
          origin.url("/form"),
        ])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        // Nothing listens there.
        _ = try proxy.curl(["-o", "/dev/null", "http://127.0.0.1:1/refused"])
        #expect(try proxy.curl(["-o", "/dev/null", origin.url("/last")]).exitStatus == .exited(0))
        let outcome = try ReportBrowser.outcome(of: watching)
        #expect(outcome.problems == [])
        live = outcome.results.first
      }
      #expect(recording.entries.count > 15)
      #expect(try recording.entry("/large.bin").response?["content"]?["size"]?.integer == 100 << 20)
      let report = try ReportBrowser.visit(recording.proxy.harPath, [.resize(1_440, 2_400), .evaluate(Self.everything)])
      #expect(report.problems == [])
      let watched = try #require(live)
      let read = try #require(report.results.first)
      let differences = Self.differences(watched, read)
      for key in differences.prefix(3) {
        let sides = [watched, read].map { String(describing: $0[key]).prefix(3_000) }
        Issue.record("\(key)\n live: \(sides[0])\n report: \(sides[1])")
      }
      #expect(differences == [])
    }
  }
}
