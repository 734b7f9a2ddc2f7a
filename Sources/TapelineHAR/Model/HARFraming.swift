/// The text around the entries of a HAR, for writing entries one by one.
public enum HARFraming {
  /// The text up to the first entry; the `entries` of `log` are ignored.
  ///
  /// - Parameter withPages: `false` leaves `pages` to `close`, for a log whose pages are known only at its end.
  public static func open(_ log: HARLog, withPages: Bool = true, in writer: inout JSONWriter) {
    writer.append(json: "{\"log\":{")
    writer.append("version", log.version, except: log.custom)
    writer.append("creator", log.creator, except: log.custom)
    writer.append("browser", log.browser, except: log.custom)
    if withPages { writer.append("pages", log.pages, except: log.custom) }
    writer.append("comment", log.comment, except: log.custom)
    for member in log.custom.members {
      append(member, in: &writer)
    }
    if !writer.ends(with: UInt8(ascii: "{")) { writer.append(byte: UInt8(ascii: ",")) }
    writer.append(json: "\"entries\":[\n")
  }

  /// The text between two entries.
  public static func separate(in writer: inout JSONWriter) {
    writer.append(json: ",\n")
  }

  /// The text after the last entry, with members of the log that are known only then.
  ///
  /// - Parameter pages: for a log that was opened without its pages.
  public static func close(pages: [HARPage]? = nil, custom: HARObject = [:], in writer: inout JSONWriter) {
    writer.append(json: "\n]")
    writer.append("pages", pages, except: custom)
    for member in custom.members {
      append(member, in: &writer)
    }
    writer.append(json: "}}\n")
  }

  private static func append(_ member: HARObject.Member, in writer: inout JSONWriter) {
    if !writer.ends(with: UInt8(ascii: "{")) { writer.append(byte: UInt8(ascii: ",")) }
    writer.append(string: member.name)
    writer.append(byte: UInt8(ascii: ":"))
    writer.append(value: member.value)
  }
}
