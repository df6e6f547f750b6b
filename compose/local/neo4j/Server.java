import java.nio.file.Path;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.HttpConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.harness.Neo4jBuilders;

/**
 * Neo4j Community in one process. Arguments: durable DIR BOLT_PORT AUTH, or browser DIR BOLT_PORT
 * HTTP_PORT. Writes a line that starts with "ready" when Bolt answers.
 */
public class Server {
  public static void main(String[] args) throws Exception {
    var dir = Path.of(args[1]);
    var bolt = local(args[2]);
    if (args[0].equals("browser")) {
      var neo4j = Neo4jBuilders.newInProcessBuilder(dir)
          .withConfig(BoltConnector.listen_address, bolt)
          .withConfig(BoltConnector.advertised_address, bolt)
          .withConfig(HttpConnector.listen_address, local(args[3]))
          .withConfig(GraphDatabaseSettings.auth_enabled, false)
          .build();
      System.out.println("ready " + neo4j.boltURI() + " " + neo4j.httpURI() + "browser/");
    } else {
      var builder = new DatabaseManagementServiceBuilder(dir);
      var settings = System.getenv("NEO4J_CONF"); // the path of a file like neo4j.conf
      if (settings != null) {
        builder.loadPropertiesFromFile(Path.of(settings));
      }
      var server = builder
          .setConfig(BoltConnector.enabled, true)
          .setConfig(BoltConnector.listen_address, bolt)
          .setConfig(BoltConnector.advertised_address, bolt)
          .setConfig(GraphDatabaseSettings.auth_enabled, Boolean.parseBoolean(args[3]))
          .build();
      Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
      System.out.println("ready bolt://127.0.0.1:" + args[2]);
    }
    Thread.currentThread().join();
  }

  private static SocketAddress local(String port) {
    return new SocketAddress("127.0.0.1", Integer.parseInt(port));
  }
}
