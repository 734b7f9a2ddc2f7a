import TapelineTestSupport

/// What must hold for every HAR that we write, whatever happened, beyond what a schema can say.
/// Returns a sentence per violation.
func violations(in log: RecordedLog) -> [String] {
  var found: [String] = []
  if log.tree.containsNull { found.append("a null") }
  let root = log.tree["log"]
  if root?["version"]?.string != "1.2" { found.append("version \(String(describing: root?["version"]))") }
  if root?["creator"]?["name"]?.string != "tapeline" { found.append("creator \(String(describing: root?["creator"]))") }
  let pages = (root?["pages"]?.elements ?? []).compactMap { $0["id"]?.string }
  if pages.isEmpty { found.append("no page") }
  for (number, entry) in log.entries.enumerated() {
    found += violations(in: entry, pages: pages).map { "entry \(number) (\(entry.method) \(entry.url)): \($0)" }
  }
  return found
}

private func violations(in entry: RecordedEntry, pages: [String]) -> [String] {
  timingViolations(in: entry) + messageViolations(in: entry, pages: pages)
}

private func timingViolations(in entry: RecordedEntry) -> [String] {
  var found: [String] = []
  for name in ["send", "wait", "receive"] where entry.phase(name) < 0 {
    found.append("\(name) is \(entry.phase(name))")
  }
  for name in ["blocked", "dns", "connect", "ssl"] where entry.phase(name) < 0 && entry.phase(name) != -1 {
    found.append("\(name) is \(entry.phase(name))")
  }
  if entry.phase("ssl") > max(entry.phase("connect"), -1) { found.append("ssl is not within connect") }
  // In whole microseconds: the numbers are written with three decimals, and their sum has to be exact.
  let parts = ["blocked", "dns", "connect", "send", "wait", "receive"].map { microseconds(entry.phase($0)) }
  let sum = parts.filter { $0 > 0 }.reduce(0, +)
  if sum != microseconds(entry.time) { found.append("time \(entry.time) is not the sum, \(sum) µs") }
  return found
}

private func microseconds(_ milliseconds: Double) -> Int {
  Int((milliseconds * 1000).rounded())
}

private func messageViolations(in entry: RecordedEntry, pages: [String]) -> [String] {
  var found: [String] = []
  if !pages.contains(entry.tree["pageref"]?.string ?? "") { found.append("pageref leads nowhere") }
  let start = entry.tree["startedDateTime"]?.string ?? ""
  if start.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) == nil { found.append("startedDateTime \(start)") }
  if entry.tree["cache"] != .object([:]) { found.append("cache is not {}") }
  if entry.url.contains("#") || entry.url.contains(" ") { found.append("url has a fragment or a space") }
  if entry.tree["connection"] != nil && entry.connection == nil { found.append("connection is no string") }
  let content = entry.response?["content"]
  if content?["size"]?.integer == nil || content?["mimeType"]?.string == nil { found.append("content lacks size or mimeType") }
  if let postData = entry.request?["postData"], postData["text"]?.string == nil { found.append("postData without text") }
  // What a tunnel carries is counted, but it is no body.
  if (entry.requestBodySize ?? 0) > 0 && entry.method != "CONNECT" && entry.request?["postData"] == nil {
    found.append("a request body without postData")
  }
  if let compression = content?["compression"]?.integer, let size = entry.contentSize, let wire = entry.responseBodySize,
    wire >= 0, size - wire != compression
  {
    found.append("compression is not size − bodySize")
  }
  for part in ["request", "response"] {
    for name in ["headersSize", "bodySize"] where entry.tree[part]?[name]?.integer == nil {
      found.append("\(part).\(name) is no integer")
    }
  }
  return found
}
