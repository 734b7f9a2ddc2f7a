internal import TapelineHAR

/// The tokens of a call, as its server counts them. Nothing is counted here.
package struct ModelUsage: Hashable, Sendable {
  /// The whole prompt, with what the server had kept.
  package private(set) var input: Int?
  /// The part of the prompt that the server had kept.
  package private(set) var cached: Int?
  /// The part of the prompt that the server keeps from now on.
  package private(set) var written: Int?
  /// The whole answer, with its reasoning.
  package private(set) var output: Int?
  package private(set) var reasoning: Int?
  /// The rest of the prompt, where an interface counts these apart.
  private var rest: Int?

  /// Takes the counts of an answer, or of a part of one: a later count replaces an earlier one.
  mutating func take(_ value: HARValue?, _ api: ModelAPI) {
    guard let value else { return }
    func count(_ name: String, in details: HARValue? = nil) -> Int? {
      (details ?? value)[name]?.integer.flatMap { (0..<1 << 40).contains($0) ? $0 : nil }
    }
    switch api {
    case .chat, .responses:
      let (prompt, answer) = api == .chat ? ("prompt", "completion") : ("input", "output")
      input = count("\(prompt)_tokens") ?? input
      output = count("\(answer)_tokens") ?? output
      cached = value["\(prompt)_tokens_details"].flatMap { count("cached_tokens", in: $0) } ?? cached
      reasoning = value["\(answer)_tokens_details"].flatMap { count("reasoning_tokens", in: $0) } ?? reasoning
    case .messages:
      takeApart(count("input_tokens"), read: count("cache_read_input_tokens"), written: count("cache_creation_input_tokens"))
      output = count("output_tokens") ?? output
      reasoning = value["output_tokens_details"].flatMap { count("thinking_tokens", in: $0) } ?? reasoning
    case .gemini:
      input = count("promptTokenCount").map { $0 + (count("toolUsePromptTokenCount") ?? 0) } ?? input
      cached = count("cachedContentTokenCount") ?? cached
      reasoning = count("thoughtsTokenCount") ?? reasoning
      // The candidates do not include the thoughts.
      let candidates = count("candidatesTokenCount")
      if candidates != nil || count("thoughtsTokenCount") != nil { output = (candidates ?? 0) + (reasoning ?? 0) }
    case .ollama:
      input = count("prompt_eval_count") ?? input
      output = count("eval_count") ?? output
    case .bedrock:
      takeApart(count("inputTokens"), read: count("cacheReadInputTokens"), written: count("cacheWriteInputTokens"))
      output = count("outputTokens") ?? output
    }
  }

  private mutating func takeApart(_ rest: Int?, read: Int?, written: Int?) {
    self.rest = rest ?? self.rest
    cached = read ?? cached
    self.written = written ?? self.written
    input = self.rest.map { $0 + (cached ?? 0) + (self.written ?? 0) }
  }
}
