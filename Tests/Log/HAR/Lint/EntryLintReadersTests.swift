import TapelineHAR
import Testing

@Suite("What single readers refuse")
struct EntryLintReadersTests {
  private func only(_ entry: HAREntry, _ profile: HARProfile) -> (found: [String], repaired: HAREntry) {
    #expect(lint(entry, Set(HARProfile.allCases).subtracting([profile])).found == [])
    let result = lint(entry, [profile])
    #expect(lint(result.repaired, [profile]).found == [])
    return result
  }

  @Test("Chrome: null for an object, and what is no number")
  func devtools() {
    var entry = cleanEntry()
    entry.custom["_initiator"] = .null
    entry.custom["_webSocketMessages"] = [.null, ["type": "send"]]
    entry.response.custom["_transferSize"] = "many"
    entry.timings.custom["_blocked_queueing"] = ["a": 1]
    let (found, repaired) = only(entry, .devtools)
    #expect(
      found == [
        "devtools-initiator $._initiator", "devtools-messages $._webSocketMessages", "devtools-number $.response._transferSize",
        "devtools-number $.timings._blocked_queueing",
      ])
    #expect(repaired.custom == ["_webSocketMessages": [["type": "send"]]])
  }

  @Test("What Chrome takes for a number", arguments: [.null, true, 1, "1.5", "", []] as [HARValue])
  func numbers(value: HARValue) {
    var entry = cleanEntry()
    entry.response.custom["_transferSize"] = value
    #expect(lint(entry, [.devtools]).found == [])
  }

  @Test("Playwright: a status that nobody can answer with, and binary bodies")
  func playwright() {
    var entry = cleanEntry()
    entry.response.status = 0
    entry.request.postData = HARPostData(mimeType: "x", text: "AAE=", custom: ["_encoding": "base64"])
    let (found, repaired) = only(entry, .playwright)
    #expect(found == ["playwright-status $.response.status", "playwright-post-data $.request.postData._encoding"])
    #expect(repaired.response.status == -1 && repaired.request.postData?.custom["encoding"] == "base64")
  }

  @Test("mitmproxy: codings that it puts on and takes off again")
  func mitmproxy() {
    var entry = cleanEntry()
    entry.response.headers = [
      HARHeader(name: "Content-Encoding", value: "gzip"), HARHeader(name: "content-encoding", value: "br"),
    ]
    entry.request.headers = [HARHeader(name: "Content-Encoding", value: "gzip")]
    #expect(lint(entry, [.mitmproxy]).found == ["mitmproxy-coding $.response.headers"])
    entry.request.postData = HARPostData(mimeType: "x", text: "{}")
    let (found, repaired) = only(entry, .mitmproxy)
    #expect(found == ["mitmproxy-coding $.response.headers", "mitmproxy-coding $.request.headers"])
    #expect(repaired.response.headers.isEmpty && repaired.request.headers.isEmpty)
    #expect(repaired.comment == "removed Content-Encoding: gzip; removed content-encoding: br; removed Content-Encoding: gzip")
  }

  @Test("mitmproxy: codings that it knows", arguments: ["gzip", "BR", "zstd", "deflate", "identity"])
  func codings(coding: String) {
    var entry = cleanEntry()
    entry.response.headers = [HARHeader(name: "Content-Encoding", value: coding)]
    #expect(lint(entry, [.mitmproxy]).found == [])
  }

  @Test("mitmproxy: a URL without a host is beyond repair")
  func url() {
    var entry = cleanEntry()
    entry.request.url = "data:text/plain,x"
    #expect(lint(entry, [.mitmproxy]).found == ["mitmproxy-url $.request.url"])
    #expect(lint(entry).found == [])
  }
}
