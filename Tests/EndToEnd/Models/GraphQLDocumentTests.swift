import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Operations of GraphQL as `list` names them, against graphql-core's parser.
  @Suite struct GraphQLDocuments {
    /// Writes a capture of random documents, and what graphql-core makes of each: a line of text.
    private static let generator = """
      import json, random, sys
      from graphql import OperationDefinitionNode, FieldNode, parse, print_ast
      rng = random.Random(7)
      NAMES = ['a', 'query', 'mutation', 'fragment', 'on', 'Products', '_x1', 'true', 'type']
      GAPS = [' ', ' ', '\\n', ' , ', ' # } query No {\\n', '\\t']

      def gap(): return rng.choice(GAPS)
      def name(): return rng.choice(NAMES)
      def value(depth=0):
          roll = rng.randint(0, 7 if depth < 2 else 5)
          return ['1', '-2.5e+3', '"} { query \\\\" X"', '$v', 'ENUM', '\"\"\"block " } \"\"\"',
                  f'[{value(depth + 1)} {value(depth + 1)}]' if depth < 2 else '[]',
                  f'{{k: {value(depth + 1)}, query: {value(depth + 1)}}}' if depth < 2 else '{}'][roll]
      def arguments(): return f'({name()}: {value()})' if rng.random() < 0.3 else ''
      def directive(): return f' @{name()}{arguments()}' if rng.random() < 0.2 else ''
      def selection(depth=0):
          kind = rng.random()
          inner = fields(depth + 1) if depth < 2 and rng.random() < 0.4 else ''
          if kind < 0.1: return f'...{rng.choice(["a", "query", "Products"])}{directive()}'
          if kind < 0.2: return f'... on {name()}{directive()}{fields(depth + 1)}' if depth < 3 else 'f'
          if kind < 0.25 and depth < 3: return f'...{directive()} {fields(depth + 1)}'
          alias = f'{name()}{gap()}:{gap()}' if rng.random() < 0.3 else ''
          return f'{alias}{name()}{arguments()}{directive()}{inner}'
      def fields(depth=0):
          return '{' + gap() + gap().join(selection(depth) for _ in range(rng.randint(1, 4))) + gap() + '}'
      def operation():
          kind = rng.choice(['query', 'mutation', 'subscription'])
          title = f' {name()}' if rng.random() < 0.7 else ''
          variables = f'($v:{gap()}[T!]! = {{k: [1] }})' if rng.random() < 0.3 else ''
          return f'{kind}{title}{variables}{directive()}{gap()}{fields()}'
      def fragment(): return f'fragment{gap()}F{gap()}on T{directive()} {fields()}'

      entries = []
      while len(entries) < 2000:
          parts = [fields()] if rng.random() < 0.2 else [operation() for _ in range(rng.randint(1, 2))]
          parts += [fragment() for _ in range(rng.randint(0, 2))]
          rng.shuffle(parts)
          document = gap().join(parts)
          try: tree = parse(document)
          except Exception: continue
          operations = [one for one in tree.definitions if isinstance(one, OperationDefinitionNode)]
          asked = rng.choice(operations)
          if not asked.name or [one.name and one.name.value for one in operations].count(asked.name.value) > 1: asked = operations[0]
          direct = [one.name.value for one in asked.selection_set.selections if isinstance(one, FieldNode)][:3]
          title = asked.name.value if asked.name else '{ ' + ' '.join(direct) + ' }' if direct else ''
          print(f'{asked.operation.value} {title}'.strip())
          body = {'query': document, 'variables': {'query': '{ no }'}}
          if asked.name and rng.random() < 0.8 or asked is not operations[0]: body['operationName'] = asked.name.value
          text = json.dumps(body)
          entries.append({
              'startedDateTime': '2026-01-02T03:04:05.000Z', 'time': 1, 'cache': {}, 'timings': {'send': 0, 'wait': 1, 'receive': 0},
              'request': {'method': 'POST', 'url': 'http://a.test/graphql', 'httpVersion': 'HTTP/1.1', 'cookies': [], 'headers': [],
                          'queryString': [], 'headersSize': -1, 'bodySize': len(text),
                          'postData': {'mimeType': 'application/json', 'text': text}},
              'response': {'status': 200, 'statusText': 'OK', 'httpVersion': 'HTTP/1.1', 'cookies': [], 'headers': [], 'redirectURL': '',
                           'headersSize': -1, 'bodySize': 0, 'content': {'size': 0, 'mimeType': ''}}})
      json.dump({'log': {'version': '1.2', 'creator': {'name': 'tests', 'version': '1'}, 'entries': entries}}, open(sys.argv[1], 'w'))
      """

    @Test("2,000 random documents have the operation that graphql-core finds in them")
    func many() throws {
      let directory = try TemporaryDirectory()
      let generator = try TestProcess(pythonInterpreter(), ["-c", Self.generator, directory.path("many.har")])
      #expect(try generator.wait(seconds: 120).isSuccess, "\(generator.errorText)")
      let list = try TestProcess(
        TapelineProcess.binary, ["list", directory.path("many.har"), "--columns", "operation", "--csv-raw"])
      #expect(try list.wait(seconds: 60).isSuccess, "\(list.errorText)")
      let found = list.outputText.split(whereSeparator: \.isNewline).dropFirst()
      let expected = generator.outputText.split(whereSeparator: \.isNewline)
      #expect(found.count == 2_000 && expected.count == 2_000)
      let wrong = zip(found, expected).filter { $0 != $1 }
      #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3))")
    }
  }
}
