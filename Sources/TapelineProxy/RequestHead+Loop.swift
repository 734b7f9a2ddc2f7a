internal import TapelineHTTP

extension RequestHead {
  /// Whether `Via` names this proxy among those the request came through (RFC 9110 7.6.3).
  var hasPassedHere: Bool {
    guard fields.contains(.via) else { return false }
    return fields.values(of: .via).contains { value in
      value.split(separator: ",").contains { member in
        let words = member.split(whereSeparator: { $0 == " " || $0 == "\t" })
        return words.count >= 2 && words[1].lowercased() == "tapeline"
      }
    }
  }
}
