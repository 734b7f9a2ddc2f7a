import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What `llm` makes of streams, against what the vendors' own clients make of them.
  @Suite struct ModelClients {
    /// Calls the models of an origin of its own, whose answers are generated and cut anywhere, and prints what the clients say of
    /// each: an object a line.
    private static let program = """
      import json, random, sys, threading
      from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
      import anthropic, ollama, openai
      from google import genai

      rng = random.Random(int(sys.argv[1]))
      WORDS = ['Hello', ' wörld', '\\n', ' 🌍', '…', ' {', '"}', ' data: x', '\\r\\n\\r\\n', 'x', ': ']
      answer = [b'', '']

      class Origin(BaseHTTPRequestHandler):
          protocol_version = 'HTTP/1.1'
          def do_POST(self):
              self.rfile.read(int(self.headers.get('content-length') or 0))
              body, kind = answer
              self.send_response(200)
              self.send_header('Content-Type', kind)
              self.send_header('Transfer-Encoding', 'chunked')
              self.end_headers()
              while body:
                  cut = rng.randint(1, 200)
                  part, body = body[:cut], body[cut:]
                  self.wfile.write(b'%x\\r\\n%s\\r\\n' % (len(part), part))
              self.wfile.write(b'0\\r\\n\\r\\n')
          def log_message(self, *arguments): pass

      server = ThreadingHTTPServer(('127.0.0.1', 0), Origin)
      threading.Thread(target=server.serve_forever, daemon=True).start()
      base = f'http://127.0.0.1:{server.server_port}'
      # Each reads the authorities of the machine when it is made.
      open_ai = openai.OpenAI(base_url=base + '/v1', api_key='k', max_retries=0)
      claude = anthropic.Anthropic(base_url=base, api_key='k', max_retries=0)
      google = genai.Client(api_key='k', http_options={'base_url': base})
      local = ollama.Client(host=base)

      def words(): return [rng.choice(WORDS) for _ in range(rng.randint(1, 12))]
      def count(): return rng.randint(0, 5000)
      def dump(value): return json.dumps(value, ensure_ascii=rng.random() < 0.5)
      # Google's client takes a comment for JSON.
      def sse(events, named=False, comments=True):
          end = rng.choice(['\\n', '\\r\\n'])
          text = ''
          for event in events:
              if comments and rng.random() < 0.2: text += f': ping{end}{end}'
              if named: text += f'event: {event["type"]}{end}'
              text += f'data: {event if isinstance(event, str) else dump(event)}{end}{end}'
          answer[:] = [text.encode(), 'text/event-stream']
      def tell(text, given, cached, out, reasoning, stop):
          print(json.dumps({'text': text, 'in': given, 'cached': cached, 'out': out, 'reasoning': reasoning, 'stop': stop}))

      def chat():
          chunk = {'id': 'c', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'tiny-1'}
          def choice(delta, stop=None): return {**chunk, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': stop}]}
          usage = {'prompt_tokens': count(), 'completion_tokens': count(), 'total_tokens': 1,
                   'prompt_tokens_details': {'cached_tokens': count()},
                   'completion_tokens_details': {'reasoning_tokens': count()}}
          sse([choice({'role': 'assistant', 'content': ''})] + [choice({'content': word}) for word in words()]
              + [choice({}, 'stop'), {**chunk, 'choices': [], 'usage': usage}, '[DONE]'])
          text, stop, used = '', None, None
          for part in open_ai.chat.completions.create(model='tiny', messages=[{'role': 'user', 'content': 'hi'}], stream=True):
              for one in part.choices: text, stop = text + (one.delta.content or ''), one.finish_reason or stop
              used = part.usage or used
          tell(text, used.prompt_tokens, used.prompt_tokens_details.cached_tokens, used.completion_tokens,
               used.completion_tokens_details.reasoning_tokens, stop)

      def responses():
          said = words()
          usage = {'input_tokens': count(), 'output_tokens': count(), 'total_tokens': 1,
                   'input_tokens_details': {'cached_tokens': count()}, 'output_tokens_details': {'reasoning_tokens': count()}}
          whole = {'id': 'r', 'object': 'response', 'created_at': 1, 'model': 'tiny-1', 'status': 'completed', 'output': [
              {'type': 'message', 'id': 'm', 'role': 'assistant', 'status': 'completed',
               'content': [{'type': 'output_text', 'text': ''.join(said), 'annotations': []}]}], 'usage': usage}
          events = [{'type': 'response.created', 'response': {**whole, 'status': 'in_progress', 'output': [], 'usage': None}}]
          events += [{'type': 'response.output_text.delta', 'item_id': 'm', 'output_index': 0, 'content_index': 0, 'delta': word}
                     for word in said]
          events += [{'type': 'response.completed', 'response': whole}]
          sse([{**event, 'sequence_number': number} for number, event in enumerate(events)], named=True)
          for event in open_ai.responses.create(model='tiny', input='hi', stream=True):
              if event.type == 'response.completed': last = event.response
          used = last.usage
          tell(last.output_text, used.input_tokens, used.input_tokens_details.cached_tokens, used.output_tokens,
               used.output_tokens_details.reasoning_tokens, last.status)

      def messages():
          usage = {'input_tokens': count(), 'output_tokens': 1, 'cache_read_input_tokens': count(),
                   'cache_creation_input_tokens': count()}
          message = {'id': 'm', 'type': 'message', 'role': 'assistant', 'model': 'tiny-1', 'content': [], 'stop_reason': None,
                     'stop_sequence': None, 'usage': usage}
          events = [{'type': 'message_start', 'message': message}, {'type': 'ping'}]
          for index in range(rng.randint(1, 3)):
              events += [{'type': 'content_block_start', 'index': index, 'content_block': {'type': 'text', 'text': ''}}]
              events += [{'type': 'content_block_delta', 'index': index, 'delta': {'type': 'text_delta', 'text': word}}
                         for word in words()]
              events += [{'type': 'content_block_stop', 'index': index}]
          events += [{'type': 'message_delta', 'delta': {'stop_reason': 'end_turn', 'stop_sequence': None},
                      'usage': {'output_tokens': count()}}, {'type': 'message_stop'}]
          sse(events, named=True)
          with claude.messages.stream(model='tiny', max_tokens=9, messages=[{'role': 'user', 'content': 'hi'}]) as stream:
              last = stream.get_final_message()
          used = last.usage
          tell(''.join(block.text for block in last.content),
               used.input_tokens + used.cache_read_input_tokens + used.cache_creation_input_tokens,
               used.cache_read_input_tokens, used.output_tokens, None, last.stop_reason)

      def gemini():
          usage = {'promptTokenCount': count(), 'cachedContentTokenCount': count(), 'candidatesTokenCount': count(),
                   'thoughtsTokenCount': count(), 'totalTokenCount': 1}
          def part(content, **more): return {'candidates': [{'content': {'parts': [content], 'role': 'model'}, **more}]}
          sse([part({'text': 'hm', 'thought': True})] + [part({'text': word}) for word in words()]
              + [{**part({'text': '!'}, finishReason='STOP'), 'usageMetadata': usage, 'modelVersion': 'tiny-1'}], comments=False)
          text = ''
          for chunk in google.models.generate_content_stream(model='tiny', contents='hi'):
              text += chunk.text or ''
              used, stop = chunk.usage_metadata or None, chunk.candidates[0].finish_reason
          tell(text, used.prompt_token_count, used.cached_content_token_count,
               used.candidates_token_count + used.thoughts_token_count, used.thoughts_token_count, stop.value)

      def llama():
          lines = [{'model': 'tiny', 'message': {'role': 'assistant', 'content': word}, 'done': False} for word in words()]
          lines += [{'model': 'tiny', 'message': {'role': 'assistant', 'content': ''}, 'done': True, 'done_reason': 'stop',
                     'prompt_eval_count': count(), 'eval_count': count()}]
          answer[:] = [''.join(dump(line) + '\\n' for line in lines).encode(), 'application/x-ndjson']
          text = ''
          for part in local.chat(model='tiny', messages=[{'role': 'user', 'content': 'hi'}], stream=True):
              text += part.message.content
          tell(text, part.prompt_eval_count, None, part.eval_count, None, part.done_reason)

      for _ in range(int(sys.argv[2])):
          for call in (chat, responses, messages, gemini, llama): call()
      """

    @Test("Text and tokens are those of the vendors' clients, for 200 generated streams in any pieces")
    func clients() throws {
      let run = try RunRecording(
        trusting: try TestAuthority(), [pythonInterpreter(), "-c", Self.program, "7", "40"], seconds: 300)
      let told = try run.process.outputText.split(separator: "\n").map { try JSONTree(parsing: Array($0.utf8)) }
      let rows = try run.rows()
      #expect(told.count == 200 && rows.count == 200)
      for (number, (row, told)) in zip(rows, told).enumerated() {
        for name in ["text", "in", "cached", "out", "reasoning", "stop"] {
          #expect(row[name] == told[name], "stream \(number), \(name)")
        }
        #expect(row["model"]?.string == "tiny" && row["status"]?.string == "200" && row["stalls"]?.integer == 0)
        // The origin was asked, then answered: the first content is within the exchange.
        let first = try #require(row["first"]?.number, "stream \(number)")
        // Both are rounded to a microsecond.
        #expect(first >= 0 && first <= (row["total"]?.number ?? 0) + 0.002)
      }
    }

    @Test("llm prints calls, turns and the cache; the fields of models are fields of queries, rules and groups")
    func command() throws {
      let run = try RunRecording(
        trusting: try TestAuthority(), [pythonInterpreter(), "-c", Self.program, "1", "1"], seconds: 120)
      for view in ["--calls", "--turns", "--cache"] {
        let text = try run.tapeline(["llm", run.harPath, view])
        #expect(text.split(separator: "\n").count >= 7, "\(text)")
      }
      #expect(try run.tapeline(["llm", run.harPath, "--csv"]).hasPrefix("number,conversation,model,in,cached,out"))
      #expect(try run.tapeline(["llm", run.harPath, "--filter", "status == 404"]) == "no call of a model\n")
      #expect(try run.tapeline(["list", run.harPath, "--columns", "llm.model,llm.out,llm.stop", "--csv"]).contains("tiny,"))
      #expect(try run.tapeline(["stats", run.harPath, "--by", "llm.model"]).contains("tiny"))
      _ = try run.tapeline(["assert", run.harPath, "max(llm.first) < 60s", "count(llm.model == \"tiny\") == 5"])
    }
  }
}

extension RunRecording {
  /// What `tapeline` prints; it must succeed.
  fileprivate func tapeline(_ arguments: [String]) throws -> String {
    let process = try TestProcess(TapelineProcess.binary, arguments)
    #expect(try process.wait(seconds: 120).isSuccess, "\(process.errorText)")
    return process.outputText
  }

  fileprivate func rows() throws -> [JSONTree] {
    try tapeline(["llm", harPath, "--json"]).split(separator: "\n").map { try JSONTree(parsing: Array($0.utf8)) }
  }
}
