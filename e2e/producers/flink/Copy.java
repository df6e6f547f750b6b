import java.net.URI;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** Copies rows of a file to another one with SQL, on a cluster within the process that the listener of OpenLineage watches. */
public class Copy {
  public static void main(String[] arguments) throws Exception {
    Configuration configuration = new Configuration();
    configuration.setString("execution.runtime-mode", "BATCH");
    configuration.setString("pipeline.name", "copy_orders");
    configuration.setString("execution.attached", "true");
    configuration.setString("rest.port", "0");
    configuration.setString("execution.job-status-changed-listeners", "io.openlineage.flink.listener.OpenLineageJobStatusChangedListenerFactory");
    configuration.setString("openlineage.transport.type", "http");
    configuration.setString("openlineage.transport.url", arguments[0]);
    MiniCluster cluster = new MiniCluster(new MiniClusterConfiguration.Builder().setConfiguration(configuration).setNumSlotsPerTaskManager(2).build());
    cluster.start();
    URI rest = cluster.getRestAddress().get();
    StreamTableEnvironment tables =
        StreamTableEnvironment.create(StreamExecutionEnvironment.createRemoteEnvironment(rest.getHost(), rest.getPort(), configuration));
    Path folder = Path.of(arguments[1]);
    String columns = " (id BIGINT, amount DOUBLE) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '";
    tables.executeSql("CREATE TABLE orders" + columns + folder.resolve("orders.csv").toUri() + "')");
    tables.executeSql("CREATE TABLE big_orders" + columns + folder.resolve("big_orders").toUri() + "')");
    tables.executeSql("INSERT INTO big_orders SELECT id, amount FROM orders WHERE amount > 10").await();
    Thread.sleep(5_000); // the cluster tells the listener of the end meanwhile
    System.exit(0); // the listener leaves threads behind
  }
}
