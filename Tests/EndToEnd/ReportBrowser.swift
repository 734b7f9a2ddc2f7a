import TapelineTestSupport
import Testing

/// What a person does with a report in a browser, and what is asked of it then; Chromium does it.
struct ReportBrowser {
  enum Step {
    /// The fragment of the address: `#n=2`.
    case open(String)
    case press([String])
    case type(String)
    /// Presses Tab until what a selector names has the focus.
    case tabTo(String)
    /// What axe-core finds goes to the results, as texts.
    case axe
    case click(String)
    /// A text between two tags, wherever it is; waits until it is there.
    case clickText(String)
    case see(String)
    case hover(String)
    /// Pixels across and down.
    case resize(Int, Int)
    /// Over a selector, so far down; with the Control key.
    case zoomingWheel(String, Int)
    case theme(String)
    case media(String)
    /// The value of an expression of JavaScript goes to the results.
    case evaluate(String)
    /// Until an expression holds.
    case wait(String)
    /// Makes a file, for the test to see.
    case touch(String)
    case screenshot(String)

    fileprivate var json: String {
      switch self {
      case .open(let fragment): member("open", JSONText.quoted(fragment))
      case .press(let keys): member("press", JSONText.array(keys))
      case .type(let text): member("type", JSONText.quoted(text))
      case .tabTo(let selector): member("tabTo", JSONText.quoted(selector))
      case .axe: member("axe", "true")
      case .click(let selector): member("click", JSONText.quoted(selector))
      case .clickText(let text): member("clickText", JSONText.quoted(text))
      case .see(let text): member("see", JSONText.quoted(text))
      case .hover(let selector): member("hover", JSONText.quoted(selector))
      case .resize(let width, let height): member("resize", "[\(width),\(height)]")
      case .zoomingWheel(let selector, let distance): member("wheel", "[\(JSONText.quoted(selector)),0,\(distance),2]")
      case .theme(let name): member("theme", JSONText.quoted(name))
      case .media(let name): member("media", JSONText.quoted(name))
      case .evaluate(let expression): member("evaluate", JSONText.quoted(expression))
      case .wait(let expression): member("wait", JSONText.quoted(expression))
      case .touch(let path): member("touch", JSONText.quoted(path))
      case .screenshot(let path): member("screenshot", JSONText.quoted(path))
      }
    }

    private func member(_ name: String, _ value: String) -> String {
      "{\(JSONText.quoted(name)):\(value)}"
    }
  }

  struct Outcome {
    let results: [JSONTree]
    /// Exceptions, messages of the console, dialogs, requests to the network.
    let problems: [String]
  }

  private static var script: String { "\(repositoryRoot)/Tests/Fixtures/report/browse.py" }

  /// Makes a report of the HAR and opens it.
  static func visit(
    _ har: String, options: [String] = [], zone: String? = nil, _ steps: [Step], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    let directory = try TemporaryDirectory()
    let report = directory.path("report.html")
    let made = try TestProcess(TapelineProcess.binary, ["report", har, "-o", report] + options)
    try #require(try made.wait(seconds: 120).isSuccess, "\(made.errorText)", sourceLocation: sourceLocation)
    return try open(report, zone: zone, steps, sourceLocation: sourceLocation)
  }

  /// - Parameter zone: of the browser's clock, where it matters.
  static func open(
    _ report: String, zone: String? = nil, _ steps: [Step], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    try outcome(of: start(report, zone: zone, steps), sourceLocation: sourceLocation)
  }

  /// Begins to take the steps; the test goes on meanwhile.
  static func start(_ page: String, zone: String? = nil, _ steps: [Step]) throws -> TestProcess {
    let input = "[" + steps.map(\.json).joined(separator: ",") + "]"
    return try TestProcess(
      pythonInterpreter(), ["-B", script, page], environment: zone.map { ["TZ": $0] } ?? [:], input: Array(input.utf8))
  }

  /// What came of all steps.
  static func outcome(of browser: TestProcess, sourceLocation: SourceLocation = #_sourceLocation) throws -> Outcome {
    try #require(try browser.wait(seconds: 240).isSuccess, "\(browser.errorText)", sourceLocation: sourceLocation)
    let outcome = try JSONTree(parsing: browser.standardOutput)
    return Outcome(
      results: outcome["results"]?.elements ?? [], problems: (outcome["problems"]?.elements ?? []).compactMap(\.string))
  }
}

/// Texts as JSON, and so as JavaScript, has them.
enum JSONText {
  static func array(_ texts: [String]) -> String { "[\(texts.map(quoted).joined(separator: ","))]" }

  static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      scalar == "\"" || scalar == "\\"
        ? "\\\(scalar)"
        : scalar.value < 0x20 ? "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst() : String(scalar)
    }
    return "\"\(escaped.joined())\""
  }
}

extension ReportBrowser.Step {
  /// The text of the element that a selector names.
  static func text(of selector: String) -> Self {
    .evaluate("document.querySelector('\(selector)')?.textContent")
  }

  /// What the table lists, an exchange's cell in each line of the screen.
  static func column(_ key: String) -> Self {
    .evaluate(
      """
      [...document.querySelectorAll('.row:not([hidden]):not(.page)')]
        .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
        .map((row) => row.querySelector('.cell-\(key)').textContent)
      """)
  }

  /// Opens every exchange on the screen and each of its tabs; there runs `visit`, with the tab's `id`.
  static func walk(_ visit: String, collecting declarations: String, returning result: String) -> Self {
    .evaluate(
      """
      (async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
        const exchanges = () => [...document.querySelectorAll('.row:not([hidden]):not(.page)')]
          .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'));
        const rows = exchanges().length;
        \(declarations)
        for (let row = 0; row < rows; row += 1) {
          exchanges()[row].click();
          const number = exchanges()[row].querySelector('.cell-number')?.textContent;
          const patience = performance.now() + 60_000;
          do {
            await frame();
            if (performance.now() > patience) throw new Error(`no details of #${number}`);
          } while (number && !document.querySelector('.details-actions .quiet')?.textContent.startsWith(`#${number} `));
          for (const { id } of [...document.querySelectorAll('.details [role=tab]')]) {
            document.getElementById(id).click();
            await frame();
            \(visit)
          }
        }
        return \(result);
      })()
      """)
  }

  /// Opens each exchange, each of its tabs, and each form of a body. Answers how many, and `harm`.
  static func visitAll(_ count: Int) -> Self {
    .evaluate(
      """
      (async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
        const press = (key) => document.querySelector('#table').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        let shown = 0;
        press('Home');
        press('Enter');
        for (let number = 1; number <= \(count); number += 1) {
          const patience = performance.now() + 60_000;
          while (!document.querySelector('.details-actions .quiet')?.textContent.startsWith(`#${number} `)) {
            await frame();
            if (performance.now() > patience) throw new Error(`no details of #${number}`);
          }
          for (const { id } of [...document.querySelectorAll('.details [role=tab]')]) {
            document.getElementById(id).click();
            await frame();
            for (const form of document.querySelectorAll('#panel .choices button, #panel .message')) { form.click(); await frame(); }
          }
          shown += 1;
          press('j');
        }
        return [shown, ...\(harm)];
      })()
      """)
  }

  /// What a text has done that was taken for more; `harmless` if nothing.
  static let harm = """
    [typeof window.harmed, typeof ({}).harmed, document.baseURI === location.href, [...document.querySelectorAll(
      'script:not([type]), img[src=x], img[src^=http], iframe, object, embed, base, meta[http-equiv=refresh], form form, a[href]')]
      .filter(({ protocol }) => !['http:', 'https:'].includes(protocol)).length]
    """
  static let harmless: [JSONTree] = [.string("undefined"), .string("undefined"), .bool(true), .number(0)]
}
