import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What `show --curl` and the report's button give is pasted into a shell, whoever made the capture.
  @Suite struct CurlPaste {
    private static let requests = HostileRequest.all(200)

    private let directory: TemporaryDirectory

    init() throws {
      directory = try TemporaryDirectory()
    }

    @Test("200 hostile requests are refused, or become their own arguments in every shell; nothing else happens")
    func requests() throws {
      let har = try directory.write(HostileRequest.capture(of: Self.requests), to: "hostile.har")
      var commands: [(request: HostileRequest, text: String)] = []
      for (index, request) in Self.requests.enumerated() {
        let show = try TestProcess(TapelineProcess.binary, ["show", har, "\(index + 1)", "--curl"])
        let status = try show.wait()
        #expect(status.isSuccess == request.isExpressible, "\(request): \(show.errorText)")
        let hidden = show.outputText.unicodeScalars.filter { $0 != "\n" && $0 != "\t" && ($0.value < 0x20 || drivesTerminal($0)) }
        #expect(hidden.isEmpty, "\(request)")
        if status.isSuccess { commands.append((request, show.outputText)) }
      }
      #expect(commands.count > 50)
      let reported = try JSONTree(parsing: Array(try ReportScript.values(of: "curlCommand", for: har).utf8))
      #expect(reported.elements.compactMap(\.string) == commands.map(\.text).map { String($0.dropLast()) })
      for shell in PastedWords.shells {
        let pasted = try PastedWords(commands.map(\.text).joined(), in: shell, programs: ["curl"])
        #expect(pasted.files == [], "\(shell)")
        try #require(pasted.calls.count == commands.count, "\(shell): \(pasted.errors)")
        for (command, call) in zip(commands, pasted.calls) { try expect(call, isFor: command.request, in: shell) }
      }
    }

    @Test("Who copies a request of whose body a part is missing is told")
    func part() throws {
      let whole = HostileRequest.capture(of: [HostileRequest(method: "POST", body: "begin")])
      let cut = whole.replacing(#""mimeType":"text/plain""#, with: #""mimeType":"text/plain","_truncated":7"#)
      for (log, isCut) in [(whole, false), (cut, true)] {
        let har = try directory.write(log, to: "part.har")
        let show = try TestProcess(TapelineProcess.binary, ["show", har, "1", "--curl"])
        #expect(try show.wait().isSuccess && show.outputText.contains("begin"))
        #expect(show.errorText.contains("without its last 7 bytes") == isCut, "\(show.errorText)")
        #expect(try ReportScript.values(of: "lacksRequestBody", for: har) == "[\(isCut)]")
      }
    }

    private func expect(
      _ call: (program: String, arguments: [String], input: [UInt8]), isFor request: HostileRequest, in shell: [String]
    ) throws {
      let body = request.body ?? ""
      var rest = call.arguments[...]
      #expect(rest.popFirst() == "--proto" && rest.popFirst() == "=http,https")
      var method = body.isEmpty ? "GET" : "POST"
      var headers: [String] = []
      var url: String?
      var data: [UInt8] = []
      while let option = rest.popFirst() {
        switch option {
        case "--head": method = "HEAD"
        case "--http1.1", "--globoff", "--path-as-is": continue
        case "--request": method = rest.popFirst() ?? ""
        case "--url": url = rest.popFirst()
        case "--header": headers.append(rest.popFirst() ?? "")
        case "--data-raw": data = Array((rest.popFirst() ?? "").utf8)
        case "--data-binary":
          #expect(rest.popFirst() == "@-")
          data = call.input
        default: Issue.record("\(option) of \(request) in \(shell)")
        }
      }
      #expect(method == request.method, "\(shell)")
      #expect(url == request.url, "\(shell)")
      #expect(data == (request.isBase64 ? [0, 0xFF, 0x0A] : Array(body.utf8)), "\(shell)")
      let wanted = request.headers.map { name, value in
        value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)"
      }
      #expect(Array(headers.prefix(wanted.count)) == wanted, "\(shell)")
      #expect(headers.dropFirst(wanted.count).allSatisfy { $0.hasSuffix(":") }, "\(shell)")
    }
  }
}

/// DEL, C1 and what turns the direction of text.
func drivesTerminal(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
  default: false
  }
}
