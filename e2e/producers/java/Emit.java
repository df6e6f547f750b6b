import io.openlineage.client.Clients;
import io.openlineage.client.OpenLineage;
import io.openlineage.client.OpenLineage.RunEvent.EventType;
import io.openlineage.client.OpenLineageClient;
import java.net.URI;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.UUID;

/** Sends the events of a run and of its parent with the official client, as openlineage.yml configures it. */
public class Emit {
  static final OpenLineage ol = new OpenLineage(URI.create("https://example.com/emit"));
  static final UUID parent = UUID.fromString("01938b3e-52a0-7bb0-9c0e-2f3f0c6b8fa1");
  static final UUID child = UUID.fromString("01938b3e-52a0-7bb0-9c0e-2f3f0c6b8fa2");

  static OpenLineage.RunEvent event(EventType type, int second, boolean isChild, List<OpenLineage.InputDataset> inputs, List<OpenLineage.OutputDataset> outputs) {
    OpenLineage.RunFacetsBuilder facets = ol.newRunFacetsBuilder();
    if (isChild) {
      facets.parent(ol.newParentRunFacetBuilder().run(ol.newParentRunFacetRun(parent, null)).job(ol.newParentRunFacetJob("nightly", "shop", null)).build());
    }
    return ol.newRunEventBuilder()
        .eventType(type)
        .eventTime(ZonedDateTime.parse("2026-11-27T10:00:0" + second + "Z"))
        .run(ol.newRun(isChild ? child : parent, facets.build()))
        .job(ol.newJob("nightly", isChild ? "shop.sum" : "shop", null))
        .inputs(inputs)
        .outputs(outputs)
        .build();
  }

  static OpenLineage.DatasetFacetsBuilder column(String name, String type) {
    OpenLineage.SchemaDatasetFacetFields field = ol.newSchemaDatasetFacetFieldsBuilder().name(name).type(type).build();
    return ol.newDatasetFacetsBuilder().schema(ol.newSchemaDatasetFacetBuilder().fields(List.of(field)).build());
  }

  public static void main(String[] arguments) throws Exception {
    OpenLineage.InputDataset orders =
        ol.newInputDatasetBuilder().namespace("postgres://db:5432").name("shop.public.orders").facets(column("amount", "numeric").build()).build();
    OpenLineage.InputField amount =
        ol.newInputFieldBuilder()
            .namespace("postgres://db:5432").name("shop.public.orders").field("amount")
            .transformations(List.of(ol.newInputFieldTransformationsBuilder().type("DIRECT").subtype("AGGREGATION").build()))
            .build();
    OpenLineage.ColumnLineageDatasetFacetFields fields =
        ol.newColumnLineageDatasetFacetFieldsBuilder()
            .put("total", ol.newColumnLineageDatasetFacetFieldsAdditionalBuilder().inputFields(List.of(amount)).build())
            .build();
    OpenLineage.OutputDataset revenue =
        ol.newOutputDatasetBuilder().namespace("s3://lake").name("revenue")
            .facets(column("total", "decimal").columnLineage(ol.newColumnLineageDatasetFacetBuilder().fields(fields).build()).build())
            .build();
    try (OpenLineageClient client = Clients.newClient()) {
      client.emit(event(EventType.START, 0, false, List.of(), List.of()));
      client.emit(event(EventType.START, 1, true, List.of(), List.of()));
      client.emit(event(EventType.COMPLETE, 2, true, List.of(orders), List.of(revenue)));
      client.emit(event(EventType.COMPLETE, 3, false, List.of(), List.of()));
    }
  }
}
