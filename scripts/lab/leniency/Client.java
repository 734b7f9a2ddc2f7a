import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Scanner;

/** Reads each URL on its standard input, and prints a line for each: its content, or why there is none. */
public class Client {
  public static void main(String[] arguments) {
    Scanner lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      try {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create(lines.nextLine())).timeout(Duration.ofSeconds(4)).build();
        System.out.println("= " + escaped(client.send(request, BodyHandlers.ofString()).body()));
      } catch (Exception error) {
        System.out.println("! " + escaped(String.valueOf(error)));
      }
    }
    System.exit(0);
  }

  private static String escaped(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\r", "\\r").replace("\n", "\\n") + '"';
  }
}
