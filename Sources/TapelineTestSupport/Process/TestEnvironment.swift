internal import Glibc

/// This process's variables as `NAME=value`, without those of proxies, changed by `replacements`; an empty value removes one.
func environmentOfTests(replacing replacements: [String: String]) -> [String] {
  let proxies = ["http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "no_proxy"]
  var kept: [String] = []
  var next = unsafe environ
  while let entry = unsafe next.pointee {
    let variable = unsafe String(cString: entry)
    let name = String(variable.prefix { $0 != "=" })
    if replacements[name] == nil && !proxies.contains(name.lowercased()) {
      kept.append(variable)
    }
    unsafe next = next.advanced(by: 1)
  }
  return kept + replacements.filter { !$0.value.isEmpty }.map { "\($0.key)=\($0.value)" }
}

/// This process's variable of that name; `nil` when it is unset or empty.
package func environmentVariable(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  let text = unsafe String(cString: value)
  return text.isEmpty ? nil : text
}
