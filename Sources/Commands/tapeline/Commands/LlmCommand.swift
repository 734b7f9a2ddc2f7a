internal import ArgumentParser
internal import TapelineOffline
internal import TapelineInspect

/// `tapeline llm FILE`: the calls of language models.
struct LlmCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "llm",
    abstract: "Print the calls of language models in a HAR: tokens, time to first content, gaps.",
    usage: "tapeline llm <file> [<options>]",
    discussion: """
      Reads OpenAI's chat completions and responses, Anthropic's messages, Gemini, Ollama and Bedrock's Converse, and servers \
      like them. Tokens are those that the server counts. The first content is words, reasoning or a call of a tool, from the \
      end of the request; a gap is between content and content, and a stall is a gap of more than 1 s. A conversation is the \
      calls that begin with the same message.

      EXAMPLES
        tapeline llm session.har
        tapeline llm session.har --turns
        tapeline llm session.har --cache --filter 'host ~ "anthropic"'
        tapeline llm session.har --json | jq -s 'map(.out) | add'
        tapeline stats session.har --by llm.model
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Flag(help: "Print this of the calls.")
  var view = ModelView.calls

  @OptionGroup
  var selection: FilterOptions

  @Flag(help: "Print a form for programs.")
  var format: ListCommand.Format?

  @OptionGroup
  var style: StyleOptions

  mutating func run() throws {
    let report = ModelReport(try ModelCalls.read(file, filter: try selection.query()), view)
    try style.print { width, palette in
      switch format {
      case .json: report.jsonLines
      case .csv: report.csv(Terminal.csvStyle(.spreadsheet))
      case .csvRaw: report.csv(Terminal.csvStyle([]))
      case nil: report.lines(width: width, palette: palette)
      }
    }
  }
}

extension ModelView: EnumerableFlag {
  static func help(for view: ModelView) -> ArgumentHelp? {
    switch view {
    case .calls: "A row per call."
    case .turns: "Where the time of each turn of an agent went: model, tools, network, client."
    case .cache: "Where a prompt left the one before it, which its server may have kept."
    }
  }
}
