internal import COpenSSL

/// OpenSSL's queue of errors; each thread has one.
///
/// Clear it before a call and drain it right after a failed call, on the same thread: otherwise errors of an earlier caller would
/// be taken for ours.
enum ErrorStack {
  /// One error as OpenSSL reports it.
  struct Entry {
    /// `ERR_LIB_SSL`, `ERR_LIB_X509` …
    let library: Int32
    /// Its meaning depends on the library.
    let reason: Int32
    let text: String
  }

  static func clear() {
    // Clearing visits every slot, and nearly always the queue is empty.
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  /// Takes all errors. The oldest, which is the cause, comes first.
  static func drainEntries() -> [Entry] {
    var entries: [Entry] = []
    var data: UnsafePointer<CChar>?
    var flags: Int32 = 0
    while true {
      let code = unsafe ERR_get_error_all(nil, nil, nil, &data, &flags)
      if code == 0 { return entries }
      var text = "error \(code)"
      if let reason = unsafe ERR_reason_error_string(code) { text = unsafe String(cString: reason) }
      if flags & ERR_TXT_STRING != 0, let data = unsafe data {
        let detail = unsafe String(cString: data)
        if !detail.isEmpty { text += " (\(detail))" }
      }
      entries.append(Entry(library: ERR_GET_LIB(code), reason: ERR_GET_REASON(code), text: text))
    }
  }

  /// Takes all errors as one text.
  static func drain() -> String {
    text(of: drainEntries())
  }

  static func text(of entries: [Entry]) -> String {
    entries.isEmpty ? "OpenSSL gave no reason" : entries.map(\.text).joined(separator: "; ")
  }
}
