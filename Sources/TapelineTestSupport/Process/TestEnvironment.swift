internal import TapelineSystem

/// This process's variables as `NAME=value`, without proxy variables, changed by `replacements`; an empty value removes one.
func environmentOfTests(replacing replacements: [String: String]) -> [[UInt8]] {
  let proxies = ["http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "no_proxy"]
  let kept = ProcessEnvironment.entries().filter { entry in
    let name = String(decoding: entry.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    return replacements[name] == nil && !proxies.contains(name.lowercased())
  }
  return kept + replacements.filter { !$0.value.isEmpty }.map { Array("\($0.key)=\($0.value)".utf8) }
}

/// This process's variable of that name; `nil` when it is unset or empty.
package func environmentVariable(_ name: String) -> String? {
  ProcessEnvironment.value(of: name).flatMap { $0.isEmpty ? nil : $0 }
}
