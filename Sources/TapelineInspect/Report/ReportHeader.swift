internal import TapelineHAR

/// The facts about the whole capture, for the page to read.
enum ReportHeader {
  static func value(of log: HARLog, plan: ReportPlan) -> HARValue {
    var header: HARObject = [
      "title": .string(plan.options.title),
      "version": .string(plan.options.version),
      "bodies": .string(plan.options.bodies.rawValue),
      "creator": .string(name(of: log.creator)),
      "pages": .array(log.pages.map(value)),
      "types": .array(ResourceType.allCases.map { ["key": .string($0.rawValue), "title": .string($0.title)] }),
      "closeCodes": .object(closeCodes),
      "queryFields": .array(QueryParser.fieldNames.map { .string($0) }),
    ]
    if plan.options.isUTC { header["utc"] = .bool(true) }
    header["bodyLimit"] = plan.bodyLimit.map { .number(HARNumber($0)) }
    header["browser"] = log.browser.map { .string(name(of: $0)) }
    header["comment"] = log.comment.map { .string($0) }
    header["dropped"] = log.custom["_dropped"]
    return .object(header)
  }

  private static var closeCodes: HARObject {
    CloseReason.names.reduce(into: HARObject()) { $0[String($1.code)] = .string($1.name) }
  }

  private static func name(of creator: HARCreator) -> String {
    creator.version.isEmpty ? creator.name : "\(creator.name) \(creator.version)"
  }

  private static func value(of page: HARPage) -> HARValue {
    var value: HARObject = ["id": .string(page.id), "title": .string(page.title)]
    value["start"] = unixNanoseconds(ofDate: page.startedDateTime).map { .number(HARNumber($0 / 1_000)) }
    value["onContentLoad"] = milliseconds(page.pageTimings.onContentLoad)
    value["onLoad"] = milliseconds(page.pageTimings.onLoad)
    return .object(value)
  }

  /// In HAR, −1 means that a value is not known.
  private static func milliseconds(_ value: Double?) -> HARValue? {
    value.flatMap { $0 >= 0 ? .number(HARNumber($0)) : nil }
  }
}
