import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("What Chrome's network panel is told of an exchange")
struct DevToolsExchangeTests {
  private struct Told {
    let method: String
    let parameters: HARValue

    init(_ event: HARValue) {
      method = event["method"]?.string ?? ""
      parameters = event["params"] ?? .null
    }
  }

  /// What the panel is told when the exchange is seen in these states, one after the other.
  private func told(_ states: HAREntry...) -> [Told] {
    var exchange = DevToolsExchange(id: "7")
    var told: [Told] = []
    for entry in states { exchange.tell(entry) { told.append(Told($0)) } }
    return told
  }

  @Test("An exchange that has ended is a request, a response, its bytes and its end, under one identifier")
  func ordinary() {
    let events = told(.ordinary())
    #expect(
      events.map(\.method) == [
        "Network.requestWillBeSent", "Network.responseReceived", "Network.dataReceived", "Network.loadingFinished",
      ])
    #expect(events.allSatisfy { $0.parameters["requestId"] == "7" })
    let request = events[0].parameters["request"]
    #expect(request?["url"] == "http://example.com/a?b=1" && request?["headers"]?["Host"] == "example.com")
    let response = events[1].parameters["response"]
    #expect(response?["status"] == 200 && response?["protocol"] == "http/1.1" && response?["remoteIPAddress"] == "192.0.2.1")
    #expect(response?["headers"] == ["Set-Cookie": "a=1\nb=2"], "values of one name are lines")
    #expect(events[2].parameters["dataLength"] == 5 && events[3].parameters["encodedDataLength"] == 125)
  }

  @Test("The marks of the panel are the ends of HAR's phases; a phase that did not happen is -1")
  func timing() throws {
    let events = told(.ordinary())
    let timing = try #require(events[1].parameters["response"]?["timing"])
    let marks = ["dnsStart", "dnsEnd", "connectStart", "connectEnd", "sslStart", "sendStart", "sendEnd", "receiveHeadersEnd"]
      .map { timing[$0]?.double }
    #expect(marks == [1, 3, 3, 33.456, -1, 33.456, 33.956, 113.956])
    let start = try #require(timing["requestTime"]?.double)
    #expect(start == events[0].parameters["timestamp"]?.double && start == 1_767_323_045.678901)
    #expect(try #require(events[3].parameters["timestamp"]?.double) - start - 0.123456 < 0.000001)
    let secure = told(.afterSlowClient())[1].parameters["response"]
    #expect(secure?["timing"]?["sslStart"]?.double == 103.5 && secure?["timing"]?["sslEnd"]?.double == 113.5)
    #expect(secure?["timing"]?["dnsStart"] == -1 && secure?["securityState"] == "secure")
  }

  @Test("Each event is told once, as early as it is known")
  func inFlight() {
    var answered = HAREntry.ordinary()
    answered.custom["_inFlight"] = true
    #expect(told(.inFlight(), .inFlight()).map(\.method) == ["Network.requestWillBeSent"])
    #expect(
      told(.inFlight(), answered, answered, .ordinary(), .ordinary()).map(\.method) == [
        "Network.requestWillBeSent", "Network.responseReceived", "Network.dataReceived", "Network.loadingFinished",
      ])
  }

  @Test("A failure is told with its message; a client that did not wait is a request that was cancelled")
  func failures() {
    let refused = told(.refused())
    #expect(refused.map(\.method) == ["Network.requestWillBeSent", "Network.loadingFailed"])
    #expect(refused[1].parameters["errorText"] == "Connection refused" && refused[1].parameters["canceled"] == false)
    let ended = told(.ended())
    #expect(ended.last?.method == "Network.loadingFailed" && ended.last?.parameters["canceled"] == true)
  }

  @Test("An exchange that never reaches the log is over for the panel, unless its end was told")
  func vanished() {
    var methods: [String?] = []
    var exchange = DevToolsExchange(id: "7")
    exchange.tell(.inFlight()) { _ in }
    exchange.vanish { methods.append($0["method"]?.string) }
    var whole = DevToolsExchange(id: "8")
    whole.tell(.ordinary()) { _ in }
    whole.vanish { methods.append($0["method"]?.string) }
    #expect(methods == ["Network.loadingFailed"])
  }

  @Test("A tunnel is not told while it may still be read, as its exchanges come in its place: a panel forgets no row")
  func tunnel() {
    var open = HAREntry.inFlight()
    open.request.method = "CONNECT"
    open.response.status = 200
    open.custom["_tunnel"] = ["toServer": 0, "toClient": 0]
    #expect(told(open, open).isEmpty)
    var methods: [String?] = []
    var exchange = DevToolsExchange(id: "7")
    exchange.tell(open) { methods.append($0["method"]?.string) }
    exchange.vanish { methods.append($0["method"]?.string) }
    #expect(methods.isEmpty, "what was not told is not over")
    var unread = open
    unread.custom["_tunnel"] = ["toServer": 517, "toClient": 0, "unread": "pinned"]
    #expect(told(open, unread).map(\.method) == ["Network.requestWillBeSent", "Network.responseReceived"])
    var ended = open
    ended.custom["_inFlight"] = nil
    #expect(told(open, ended).last?.method == "Network.loadingFinished")
  }

  @Test("A WebSocket is told as one: its handshake, the messages of both directions as they come, its end")
  func webSocket() {
    func entry(_ texts: String..., isInFlight: Bool) -> HAREntry {
      var entry = HAREntry.ordinary()
      entry.request.url = "https://example.com/socket"
      entry.request.headers = [HARHeader(name: "Upgrade", value: "websocket")]
      entry.response.status = 101
      entry.custom["_webSocketMessages"] = .array(
        texts.map { ["type": $0 == "ping" ? "send" : "receive", "time": 1_767_323_045, "opcode": 1, "data": .string($0)] })
      if isInFlight { entry.custom["_inFlight"] = true }
      return entry
    }
    var asked = HAREntry.inFlight()
    asked.request.headers = [HARHeader(name: "upgrade", value: "WebSocket")]
    let events = told(
      asked, entry("ping", isInFlight: true), entry("ping", "pong", isInFlight: true),
      entry("ping", "pong", "bye", isInFlight: false))
    #expect(
      events.map(\.method) == [
        "Network.webSocketCreated", "Network.webSocketWillSendHandshakeRequest",
        "Network.webSocketHandshakeResponseReceived", "Network.webSocketFrameSent", "Network.webSocketFrameReceived",
        "Network.webSocketFrameReceived", "Network.webSocketClosed",
      ])
    #expect(events[0].parameters["url"] == "ws://example.com/a?b=1")
    #expect(events.compactMap { $0.parameters["response"]?["payloadData"]?.string } == ["ping", "pong", "bye"])
    #expect(told(entry(isInFlight: false))[0].parameters["url"] == "wss://example.com/socket")
  }

  @Test("The events of an event stream are told as they come")
  func eventStream() {
    func entry(_ body: String, isInFlight: Bool) -> HAREntry {
      var entry = HAREntry.ordinary()
      entry.response.content = HARContent(size: body.utf8.count, mimeType: "text/event-stream; charset=utf-8", text: body)
      if isInFlight { entry.custom["_inFlight"] = true }
      return entry
    }
    let one = "id: 1\nevent: tick\ndata: one\n\n"
    let events = told(entry(one, isInFlight: true), entry(one + "data: two\n\n", isInFlight: false))
    #expect(events[0].parameters["type"] == "EventSource")
    let told = events.filter { $0.method == "Network.eventSourceMessageReceived" }.map(\.parameters)
    #expect(told.map { $0["data"] } == ["one", "two"] && told.map { $0["eventName"] } == ["tick", "message"])
    #expect(told.map { $0["eventId"] } == ["1", "1"])
  }
}

@Suite("What Chrome's network panel asks")
struct DevToolsCommandTests {
  private func command(_ method: String, _ parameters: String = "{}") throws -> DevToolsCommand {
    try #require(DevToolsCommand(Array(#"{"id":3,"method":"\#(method)","params":\#(parameters)}"#.utf8)))
  }

  @Test("Commands of the Network domain are known, the beginnings of others are acknowledged, the rest is refused")
  func actions() throws {
    #expect(try command("Network.enable").action == .enableNetwork)
    #expect(try command("Network.disable").action == .disableNetwork)
    #expect(try command("Network.getResponseBody", #"{"requestId":"5"}"#).action == .responseBody("5"))
    #expect(try command("Network.getRequestPostData").action == .requestBody(""))
    #expect(try command("DOM.enable").action == .acknowledge)
    let unknown = try command("Network.clearBrowserCookies")
    #expect(unknown.action == .unknown)
    #expect(
      unknown.unknownMethod
        == ["id": 3, "error": ["code": -32_601, "message": "'Network.clearBrowserCookies' wasn't found"]])
  }

  @Test(
    "Anything else is no command",
    arguments: ["", "null", "[]", "{}", #"{"id":1}"#, #"{"id":"1","method":"x"}"#, #"{"method":"x"}"#, "{\"id\":1,"])
  func garbage(_ text: String) {
    #expect(DevToolsCommand(Array(text.utf8)) == nil)
  }

  @Test("Bodies are given as the log has them, or refused with the reason")
  func bodies() throws {
    let response = try command("Network.getResponseBody", #"{"requestId":"1"}"#)
    let request = try command("Network.getRequestPostData", #"{"requestId":"1"}"#)
    var entry = HAREntry.ordinary()
    #expect(response.body(of: entry, limit: 5)["result"] == ["body": "hello", "base64Encoded": false])
    #expect(response.body(of: entry, limit: 4)["error"]?["message"]?.string?.contains("too long") == true)
    #expect(request.body(of: entry, limit: 5)["result"] == ["postData": "", "base64Encoded": false])
    entry.response.content.encoding = "base64"
    entry.response.content.text = "aGVsbG8="
    #expect(response.body(of: entry, limit: 5)["result"] == ["body": "aGVsbG8=", "base64Encoded": true])
    entry.response.content.text = nil
    #expect(response.body(of: entry, limit: 5)["error"]?["message"] == "the log does not have this body")
    entry.request.postData = HARPostData(mimeType: "text/plain", text: "abc")
    #expect(request.body(of: entry, limit: 5)["result"]?["postData"] == "abc")
  }
}
