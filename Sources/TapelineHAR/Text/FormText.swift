internal import TapelineText

/// One field of an `application/x-www-form-urlencoded` body.
enum FormText {
  static func encoded(_ name: String, _ value: String) -> String {
    encoded(name) + "=" + encoded(value)
  }

  private static func encoded(_ text: String) -> String {
    PercentEncoding.encode(text, keeping: .formURLEncoded, isForm: true)
  }
}
