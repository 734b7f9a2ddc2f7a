import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Messages of Protocol Buffers as `show --proto` lays them out, against Google's own library.
  @Suite struct ProtobufReading {
    /// Writes `many.desc`, `many.har` and `many.json`: random messages of random schemas, and what Google's library makes of
    /// them.
    private static let generator = """
      import base64, json, os, random, sys
      from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
      os.chdir(sys.argv[1])
      rng = random.Random(7)
      F = descriptor_pb2.FieldDescriptorProto
      SCALARS = [F.TYPE_DOUBLE, F.TYPE_FLOAT, F.TYPE_INT64, F.TYPE_UINT64, F.TYPE_INT32, F.TYPE_FIXED64, F.TYPE_FIXED32,
                 F.TYPE_BOOL, F.TYPE_STRING, F.TYPE_BYTES, F.TYPE_UINT32, F.TYPE_SFIXED32, F.TYPE_SFIXED64, F.TYPE_SINT32,
                 F.TYPE_SINT64]
      KEYS = [t for t in SCALARS if t not in (F.TYPE_DOUBLE, F.TYPE_FLOAT, F.TYPE_BYTES)]
      files, entries, expected = descriptor_pb2.FileDescriptorSet(), [], []

      def schema(index):
          file = files.file.add(name=f's{index}.proto', package=f's{index}', syntax=rng.choice(['proto2', 'proto3']))
          kind = file.enum_type.add(name='Kind')
          for number, name in enumerate(['ZERO', 'ONE', 'TWO']): kind.value.add(name=name, number=number)
          message = file.message_type.add(name='M')
          if rng.random() < 0.5: message.oneof_decl.add(name='choice')
          for number in rng.sample(range(1, 300), rng.randint(1, 14)):
              field = message.field.add(name=f'some_field_{number}', number=number, json_name=f'someField{number}')
              field.label = rng.choice([F.LABEL_OPTIONAL, F.LABEL_OPTIONAL, F.LABEL_REPEATED])
              roll = rng.random()
              if roll < 0.12:
                  field.type, field.type_name = F.TYPE_MESSAGE, f'.s{index}.M'
              elif roll < 0.24:
                  field.type, field.type_name = F.TYPE_ENUM, f'.s{index}.Kind'
              elif roll < 0.36:
                  entry = message.nested_type.add(name=f'SomeField{number}Entry')
                  entry.options.map_entry = True
                  entry.field.add(name='key', number=1, label=F.LABEL_OPTIONAL, type=rng.choice(KEYS))
                  entry.field.add(name='value', number=2, label=F.LABEL_OPTIONAL, type=rng.choice(SCALARS))
                  field.label, field.type, field.type_name = F.LABEL_REPEATED, F.TYPE_MESSAGE, f'.s{index}.M.{entry.name}'
              else:
                  field.type = rng.choice(SCALARS)
                  if field.label == F.LABEL_REPEATED and field.type not in (F.TYPE_STRING, F.TYPE_BYTES):
                      field.options.packed = rng.random() < 0.5
              if field.label == F.LABEL_OPTIONAL and message.oneof_decl and rng.random() < 0.3: field.oneof_index = 0
          if message.oneof_decl and not any(field.HasField('oneof_index') for field in message.field):
              del message.oneof_decl[:]

      def many_of(field): return field.is_repeated if hasattr(field, 'is_repeated') else field.label == F.LABEL_REPEATED
      def scalar(field):
          kind = field.type
          if kind in (F.TYPE_DOUBLE, F.TYPE_FLOAT):
              return rng.choice([0.0, 1.5, -2.25, float('inf'), float('-inf'), rng.uniform(-1e6, 1e6)])
          if kind == F.TYPE_BOOL: return rng.random() < 0.5
          if kind == F.TYPE_STRING: return ''.join(rng.choice('aé漢🌍\\\\"\\n\\t ') for _ in range(rng.randint(0, 8)))
          if kind == F.TYPE_BYTES: return rng.randbytes(rng.randint(0, 8))
          if kind == F.TYPE_ENUM: return rng.randint(0, 2)
          unsigned = kind in (F.TYPE_UINT64, F.TYPE_FIXED64, F.TYPE_UINT32, F.TYPE_FIXED32)
          bits = 64 if kind in (F.TYPE_INT64, F.TYPE_UINT64, F.TYPE_FIXED64, F.TYPE_SFIXED64, F.TYPE_SINT64) else 32
          low, high = (0, 2 ** bits - 1) if unsigned else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)
          return rng.choice([0, 1, low, high, rng.randint(low, high)])

      def fill(message, depth=0):
          for field in message.DESCRIPTOR.fields:
              if rng.random() < 0.3: continue
              many = rng.randint(0, 3)
              if field.message_type and field.message_type.GetOptions().map_entry:
                  key, value = field.message_type.fields
                  for _ in range(many): getattr(message, field.name)[scalar(key)] = scalar(value)
              elif field.message_type:
                  if depth > 1: continue
                  if many_of(field):
                      for _ in range(many): fill(getattr(message, field.name).add(), depth + 1)
                  else:
                      getattr(message, field.name).SetInParent()
                      fill(getattr(message, field.name), depth + 1)
              elif many_of(field):
                  getattr(message, field.name).extend(scalar(field) for _ in range(many))
              else:
                  setattr(message, field.name, scalar(field))

      for index in range(200): schema(index)
      pool = descriptor_pool.DescriptorPool()
      for file in files.file: pool.Add(file)
      for number in range(10000):
          name = f's{number % 200}.M'
          message = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))()
          fill(message)
          bytes = message.SerializeToString()
          expected.append(json_format.MessageToDict(message))
          entries.append({
              'startedDateTime': '2026-01-02T03:04:05.000Z', 'time': 1, 'cache': {}, 'timings': {'send': 0, 'wait': 1, 'receive': 0},
              'request': {'method': 'GET', 'url': f'http://a.test/{number}', 'httpVersion': 'HTTP/1.1', 'cookies': [], 'headers': [],
                          'queryString': [], 'headersSize': -1, 'bodySize': 0},
              'response': {'status': 200, 'statusText': 'OK', 'httpVersion': 'HTTP/1.1', 'cookies': [], 'headers': [],
                           'redirectURL': '', 'headersSize': -1, 'bodySize': len(bytes), 'content': {
                               'size': len(bytes), 'mimeType': f'application/x-protobuf; messageType="{name}"',
                               'text': base64.b64encode(bytes).decode(), 'encoding': 'base64'}}})
      open('many.desc', 'wb').write(files.SerializeToString())
      log = {'version': '1.2', 'creator': {'name': 'tests', 'version': '1'}, 'entries': entries}
      json.dump({'log': log}, open('many.har', 'w'))
      json.dump(expected, open('many.json', 'w'))
      """

    /// Reads what `show` printed, and says how many messages are others than expected.
    private static let comparison = """
      import json, os, re, sys
      os.chdir(sys.argv[1])
      shown = re.split(r'(?m)^#\\d+ ', open('many.txt', encoding='utf-8').read())[1:]
      expected, wrong = json.load(open('many.json')), 0
      for text, value in zip(shown, expected):
          body = text.split('\\nprotobuf\\n')
          # An empty message has no body, and is not shown.
          found = json.loads('\\n'.join(body[1].split('\\n─')[0].split('\\n')[1:])) if len(body) > 1 else {}
          if found != value:
              wrong += 1
              if wrong < 4: print(found, 'instead of', value)
      print(len(shown), 'messages,', wrong, 'wrong')
      """

    @Test("10,000 random messages of 200 schemas are laid out as by Google's library")
    func many() throws {
      let directory = try TemporaryDirectory()
      func python(_ program: String) throws -> String {
        let process = try TestProcess(pythonInterpreter(), ["-c", program, directory.path])
        #expect(try process.wait(seconds: 300).isSuccess, "\(process.errorText)")
        return process.outputText
      }
      _ = try python(Self.generator)
      let show = try TestProcess(
        TapelineProcess.binary,
        ["show", directory.path("many.har"), "1-10000", "--proto", directory.path("many.desc"), "--color", "never"],
        environment: ["LC_ALL": "C.UTF-8"])
      #expect(try show.wait(seconds: 300).isSuccess, "\(show.errorText)")
      _ = try directory.write(show.outputText, to: "many.txt")
      #expect(try python(Self.comparison) == "10000 messages, 0 wrong\n")
    }

    @Test("What is not a set of descriptors is refused, with what to write")
    func refused() throws {
      let capture = "\(repositoryRoot)/Tests/Fixtures/query/every-field.har"
      let show = try TestProcess(TapelineProcess.binary, ["show", capture, "1", "--proto", capture])
      #expect(try show.wait(seconds: 60) == .exited(65))
      #expect(show.errorText.contains("not a set of descriptors; write one with protoc"))
    }
  }
}
