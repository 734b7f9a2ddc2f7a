internal import TapelineHAR
internal import TapelineInspect

extension TraceSpan {
  /// Says of a call of a language model what the conventions for generative AI have. Neither prompts nor answers are exported.
  mutating func describeModelCall(of entry: HAREntry) {
    guard let call = ModelCall(entry) else { return }
    name = "chat \(call.model)"
    append("gen_ai.operation.name", "chat")
    append("gen_ai.provider.name", call.api.provider)
    append("gen_ai.request.model", call.model)
    append("gen_ai.response.model", call.answer.model)
    append("gen_ai.response.id", call.answer.id)
    if let stop = call.answer.stop { attributes.append(Attribute(name: "gen_ai.response.finish_reasons", value: .texts([stop]))) }
    append("gen_ai.usage.input_tokens", call.answer.usage.input)
    append("gen_ai.usage.output_tokens", call.answer.usage.output)
    append("gen_ai.usage.cache_read.input_tokens", call.answer.usage.cached)
    append("gen_ai.usage.cache_creation.input_tokens", call.answer.usage.written)
    append("gen_ai.usage.reasoning.output_tokens", call.answer.usage.reasoning)
    append("tapeline.llm.first", milliseconds: call.firstContent)
  }
}
