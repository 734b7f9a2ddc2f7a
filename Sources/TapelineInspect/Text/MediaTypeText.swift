extension String {
  /// Of a media type, type and subtype alone, in lower case.
  var mediaTypeEssence: String {
    prefix { $0 != ";" }.lowercased().filter { $0 != " " }
  }
}
