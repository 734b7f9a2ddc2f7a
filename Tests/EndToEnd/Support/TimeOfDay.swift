import FoundationEssentials

/// Now, as a HAR writes it, so that two of them compare as texts do.
func timeOfDay() -> String {
  let now = Date().timeIntervalSince1970
  let second = now.rounded(.down)
  let microseconds = 1_000_000 + Int((now - second) * 1e6)
  let text = Date(timeIntervalSince1970: second).formatted(.iso8601)
  return "\(text.dropLast()).\(String(microseconds).dropFirst())Z"
}
