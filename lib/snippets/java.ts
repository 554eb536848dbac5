import type { SampleRequest } from "@/lib/reference/sample-request.ts";
import { indentLines } from "./indent-lines.ts";

/** Creates a Java program that sends the request. The program requires Java 17 or newer and has no dependencies. */
export function createJavaSnippet(request: SampleRequest, origin: string): string {
  const { name, method, path, needsKey, headers, body, isStream } = request;
  const publisher =
    body === undefined
      ? "HttpRequest.BodyPublishers.noBody()"
      : `HttpRequest.BodyPublishers.ofString("""\n${indentLines(formatJavaTextBlock(body), 12)}""")`;
  const chain = [
    ...(needsKey ? ['.header("Authorization", "Bearer " + System.getenv("LOCKKEEPER_API_KEY"))'] : []),
    ...(body === undefined ? [] : ['.header("Content-Type", "application/json")']),
    ...Object.entries(headers).map(([name, value]) => `.header(${quoteJava(name)}, ${quoteJava(value)})`),
    method === "GET" ? ".GET()" : `.method(${quoteJava(method)}, ${publisher})`,
    ".build();",
  ];
  const [handler, printed] = isStream
    ? [
        "ofLines()",
        "System.out.println(response.statusCode());\n    response.body().forEach(System.out::println);",
      ]
    : ["ofString()", 'System.out.println(response.statusCode() + " " + response.body());'];
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

public class ${toJavaClassName(name)} {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(${quoteJava(origin + path)}))
        ${chain.join("\n        ")}
    var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.${handler});
    ${printed}
  }
}
`;
}

export function toJavaClassName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/**
 * Quotes text as a Java string literal. Escapes control characters in octal, because Java decodes \uXXXX before it
 * parses the literal.
 */
export function quoteJava(text: string): string {
  const units = text.split("").map((unit) => {
    const code = unit.charCodeAt(0);
    return ESCAPES[unit] ?? (code < 0x20 ? `\\${code.toString(8).padStart(3, "0")}` : escapeJavaUnit(unit));
  });
  return `"${units.join("")}"`;
}

/** Formats a value as JSON for the content of a Java text block. Does not add the delimiters. */
export function formatJavaTextBlock(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replaceAll("\\", "\\\\").replaceAll('"""', '""\\"');
  return text.split("").map(escapeJavaUnit).join("");
}

function escapeJavaUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  return code < 0x7f ? unit : `\\u${code.toString(16).padStart(4, "0")}`;
}
